SELECT bench.suspend(:title, :asked_state, :record, :question, :subject, :context, :choices, :created, :asked, :hash, :key);
