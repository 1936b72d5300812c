\set n random(1, :rows)
SELECT * FROM intent WHERE id = bench.id('i', :n);
