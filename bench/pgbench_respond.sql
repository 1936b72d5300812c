\set k :k + 1
\set n :first + :k * :clients + :client_id
SELECT bench.respond(:n, :state, :response, :reason, :summary, :resumed, :hash);
