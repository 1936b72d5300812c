"""The search in the database: parts, the bits that sum them up, and where a
search that reads too much stops and goes on."""
import pytest

from statements import STATEMENTS

N = 3500  # rows; three parts of a thousand, and the rest
SET = "1" + "0" * 2047  # the bit of what is searched for
FOREVER = ["infinity", ""]


@pytest.fixture
def past(superuser, nothing_stays):
    """Rows that ended a minute apart; every hundredth is rare. Without what
    other tests have left, and gone at the end."""
    db = superuser
    for table in ("search_part", "ended_words"):
        db.execute(f"DELETE FROM {table}")
    db.execute("""
        INSERT INTO ended_words (decided_at, suspension_id, words, amount, unit)
        SELECT timestamptz '2020-01-01' + n * interval '1 minute',
               'q' || lpad(n::text, 5, '0'),
               array_to_tsvector(CASE WHEN n %% 100 = 0
                                 THEN ARRAY['all', 'rare'] ELSE ARRAY['all']
                                 END), n, CASE WHEN n %% 2 = 0 THEN 'eur' END
          FROM generate_series(1, %s) n""", [N])
    yield db


def part(db, to, bits):
    """The next part, up to a row; bits: it may have what is searched for."""
    at = moment(db, to)
    last = db.execute("SELECT to_at::text, to_id FROM search_part "
                      "ORDER BY to_at DESC LIMIT 1").fetchone()
    begin, id = last or ("-infinity", "")
    db.execute("PREPARE part AS " + STATEMENTS["search_part_insert"])
    db.execute(f"EXECUTE part (false, '{begin}', '{id}', '{{\"{at}\"}}', "
               f"'{{{name(to)}}}', '{{1000}}', '{{1}}', "
               f"'{{{7 if bits else 8}}}', '{{{SET}}}')")
    db.execute("DEALLOCATE part")


def moment(db, n):
    return db.execute("SELECT decided_at::text FROM ended_words "
                      "WHERE suspension_id = %s", [name(n)]).fetchone()[0]


def name(n):
    return f"q{n:05}"


def search(db, query, *, terms=True, over=None, unit=None, before=FOREVER,
           since="-infinity", most=5000, looks=10000):
    """The numbers of what is found, and where it stopped or None."""
    rows = db.execute(
        "SELECT id, at::text, fits FROM search_ended(%s::tsquery, %s::int[], "
        "%s::int[], %s::bit varying[], %s, %s, %s::timestamptz, %s, "
        "%s::timestamptz, %s, %s)", [
            query, [1] if terms else [], [7] if terms else [],
            [SET] if terms else [], over, unit, *before, since, most, looks]
    ).fetchall()
    found = [int(id[1:]) for id, _, fits in rows if fits]
    assert all(fits for *_, fits in rows[:-1])
    last = rows[-1] if rows and not rows[-1][2] else None
    return found, [last[1], last[0]] if last else None


def newest(n, step=1):
    return [x for x in range(N, 0, -1) if x % step == 0][:n]


def test_without_parts_all_is_read(past):
    assert search(past, "'rare'") == (newest(N, 100), None)
    assert search(past, "'all':*", most=51) == (newest(51), None)
    assert search(past, "'nowhere'") == ([], None)
    assert search(past, None, terms=False, most=5) == (newest(5), None)


def test_a_part_without_the_bits_is_not_read(past):
    for to, bits in ((1000, True), (2000, False), (3000, True)):
        part(past, to, bits)
    found, stop = search(past, "'rare'")
    assert stop is None
    assert found == [n for n in newest(N, 100) if not 1000 < n <= 2000]
    # Nothing is looked for by its bits.
    assert search(past, "'rare'", terms=False) == (newest(N, 100), None)


def test_all_terms_need_bits_and_one_of_each_is_enough(past):
    part(past, 1000, True)
    args = ["'rare'", [1, 1, 2], [9, 7, 7], [SET] * 3]
    more = "NULL, NULL, 'infinity', '', '-infinity', 5000, 10000"
    count = ("SELECT count(*) FROM search_ended(%s::tsquery, %s::int[], "
             f"%s::int[], %s::bit varying[], {more}) WHERE at <= '2020-01-01 "
             "16:40'")
    assert past.execute(count, args).fetchone()[0] == 10
    args[2] = [9, 7, 9]
    assert past.execute(count, args).fetchone()[0] == 0


@pytest.mark.parametrize("looks", [100, 999, 1000, 1500, 2600])
@pytest.mark.parametrize("parts", [0, 3])
@pytest.mark.parametrize("query, step", [("'rare'", 100), ("'all'", 1),
                                         ("'nowhere'", 10 ** 9)])
def test_a_search_that_stops_goes_on_there(past, looks, parts, query, step):
    """Page by page, all is found once and in its order."""
    for n in range(parts):
        part(past, 1000 * (n + 1), True)
    found, place = [], FOREVER
    for _ in range(80):
        some, stop = search(past, query, before=place, most=51, looks=looks)
        found += some
        if stop:
            place = stop
        elif len(some) == 51:
            place = [moment(past, some[-1]), name(some[-1])]
        else:
            break
    assert found == newest(N, step)


def test_time_and_amount_bound_it(past):
    part(past, 1000, True)
    since = "2020-01-01 08:20"  # row 500
    assert search(past, "'all'", since=since)[0] == newest(N - 499)
    assert search(past, "'all'", before=["2020-01-01 00:06", ""])[0] == [
        5, 4, 3, 2, 1]
    assert search(past, "'rare'", over=3200, unit="eur")[0] == [
        3500, 3400, 3300]
    assert search(past, "'all'", over=3497)[0] == [3500, 3499, 3498]
    assert search(past, "'all'", over=3497, unit="usd")[0] == []
