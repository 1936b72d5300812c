-- A caller as statements compare it with stored names (domain/intent/reach.h): {reads_tests $1},
-- does the reader in $1 read tests? and the reader that a key makes of an agent. The functions
-- of sql/0036_tests_apart.sql take it apart by the same rule.

-- piece: reads_tests reader
starts_with({reader}, 'test/')

-- piece: reader test reach agent
CASE WHEN {test} THEN 'test/' ELSE '' END || CASE {reach} WHEN 'all' THEN '/' ELSE '' END || {agent}
