-- Sends the requests of a file in turn, one per line with its line ends escaped; eight @ in a
-- request become a number used once. Prints what it saw as one line of JSON.
local requests = {}
local turn = 0
local started = os.time() % 10000

function init(args)
  math.randomseed(os.time())
  for line in io.lines(args[1]) do
    local text = line:gsub("\\r\\n", "\r\n")
    local first, last = text:find("@@@@@@@@", 1, true)
    if first then
      requests[#requests + 1] = { text:sub(1, first - 1), text:sub(last + 1) }
    else
      requests[#requests + 1] = text
    end
  end
end

function request()
  turn = turn + 1
  local chosen = requests[(turn - 1) % #requests + 1]
  if type(chosen) == "string" then return chosen end
  return chosen[1] .. string.format("%04d%08d", started, turn) .. chosen[2]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '\n{"operations":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"failures":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
