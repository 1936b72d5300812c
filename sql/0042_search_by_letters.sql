-- Some scripts write words without spaces between them: there each letter is a word for
-- the search, and what was typed is found as a row of them. Wide forms of Latin letters
-- and digits are found as the plain ones.

-- The text with spaces around each letter of Thai, Lao, Burmese, Khmer, Japanese and
-- Chinese.
CREATE FUNCTION search_apart(text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN n !~ '[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]' THEN n
                 ELSE regexp_replace(n, '([\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])',
                                     ' \1 ', 'g') END
            FROM normalize($1, NFKC) n $$;

-- Most questions are ASCII and are not looked at letter by letter.
CREATE OR REPLACE FUNCTION search_words(title text, question text, asked_by text, id text,
                                        intent_id uuid) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    words text := concat_ws(' ', title, question, asked_by, id, intent_id);
BEGIN
    IF octet_length(words) > char_length(words) THEN
        words := search_apart(words);
    END IF;
    RETURN to_tsvector('simple', regexp_replace(words, '[^[:alnum:]]+', ' ', 'g'));
END $$;

-- What a person typed: every word has to be there, or to be the start of one; the letters
-- of a word without spaces one behind the other.
CREATE OR REPLACE FUNCTION search_query(text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT to_tsquery('simple', string_agg(
                     regexp_replace(trim(apart), '[^[:alnum:]]+', ' <-> ', 'g') || ':*', ' & '))
            FROM regexp_split_to_table(normalize($1, NFKC), '[^[:alnum:]]+') word,
                 regexp_replace(search_apart(word), '^[^[:alnum:]]+|[^[:alnum:]]+$', '', 'g') apart
           WHERE apart <> '' $$;

-- Only questions with such letters, or with wide forms, have other words now.
UPDATE open_question o
   SET search = search_words(s.title, s.question, o.asked_by, s.id, s.intent_id)
  FROM suspension s
 WHERE s.id = o.suspension_id
   AND search_words(s.title, s.question, o.asked_by, s.id, s.intent_id) <> o.search;
