import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCrontab } from "../src/index.js";

test("a crontab has jobs, comments, variables and problems", () => {
  const { jobs, problems } = parseCrontab(
    ["# nightly", "MAILTO=ops@example.org", "CRON_TZ='Europe/Berlin'", "", "0 3 * * * rotate  logs", "61 * * * * never", "@daily"].join("\n"),
  );
  assert.equal(jobs.length, 1);
  assert.equal(jobs[0].line, 5);
  assert.equal(jobs[0].zone, "Europe/Berlin");
  assert.equal(jobs[0].command, "rotate logs");
  assert.deepEqual(problems, [
    { line: 6, message: "minute: 61 is not between 0 and 59" },
    { line: 7, message: "no command" },
  ]);
});

test("the zone holds from its line on", () => {
  const { jobs } = parseCrontab("@hourly a\nCRON_TZ=Asia/Tokyo\n@hourly b\n");
  assert.deepEqual(jobs.map((job) => job.zone), ["UTC", "Asia/Tokyo"]);
});
