-- The requests of wrk: one after the other on each connection.
--
-- BENCH_WHAT names the request, BENCH_KEY the API key, BENCH_ROWS a file with
-- an intent's and a suspension's id on each line. Prints one line for
-- bench/run when it is done.

local what, rows, at = os.getenv("BENCH_WHAT"), {}, 0
local headers = {
    ["X-API-Key"] = os.getenv("BENCH_KEY"),
    ["Content-Type"] = "application/json",
}

-- Loading a script, wrk calls this once for each of its threads: one.
function init()
    math.randomseed(1)
    for line in io.lines(os.getenv("BENCH_ROWS")) do
        local intent, suspension = line:match("^(%S+) (%S+)$")
        rows[#rows + 1] = { intent = intent, suspension = suspension }
    end
end

-- Each question can be answered once; past the last one the server says so
-- and the run fails.
local function next_row()
    at = math.min(at + 1, #rows)
    return rows[at]
end

local function post(path, body)
    return wrk.format("POST", path, headers, body)
end

local make = {}

function make.get()
    local row = rows[math.random(#rows)]
    return wrk.format("GET", "/api/v1/intents/" .. row.intent, headers)
end

function make.suspend()
    return post("/api/v1/suspensions", os.getenv("BENCH_BODY"))
end

function make.respond()
    local row = next_row()
    return post("/api/v1/suspensions/" .. row.suspension .. "/respond",
        '{"value": "approve", "reason": "The photo shows it."}')
end

function make.respond_openintent()
    local row = next_row()
    return post("/api/v1/intents/" .. row.intent .. "/suspend/respond",
        '{"suspension_id": "' .. row.suspension ..
        '", "value": "approve", "reason": "The photo shows it."}')
end

request = make[what]

-- "cell", requests, seconds, p50 and p99 in ms, and what went wrong.
function done(summary, latency)
    local e = summary.errors
    io.write(string.format("cell %d %.6f %.3f %.3f %d\n", summary.requests,
        summary.duration / 1e6, latency:percentile(50) / 1e3,
        latency:percentile(99) / 1e3,
        e.connect + e.read + e.write + e.status + e.timeout))
end
