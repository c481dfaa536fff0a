import { CronSyntaxError } from "./errors.js";
import { parseExpression } from "./parse.js";

const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;

/**
 * Reads a crontab. Returns `{ jobs, problems }`: a job is `{ line, schedule, command, zone }`, a problem `{ line, message }`.
 * `CRON_TZ=` holds for the lines after it.
 */
export function parseCrontab(text) {
  const jobs = [];
  const problems = [];
  let zone = "UTC";

  text.split("\n").forEach((raw, index) => {
    const line = index + 1;
    const content = raw.trim();
    if (content === "" || content.startsWith("#")) return;

    const variable = VARIABLE.exec(content);
    if (variable !== null) {
      if (variable[1] === "CRON_TZ") zone = unquote(variable[2]);
      return;
    }

    const { expression, command } = splitLine(content);
    if (command === "") {
      problems.push({ line, message: "no command" });
      return;
    }
    try {
      jobs.push({ line, schedule: parseExpression(expression), command, zone });
    } catch (error) {
      if (!(error instanceof CronSyntaxError)) throw error;
      problems.push({ line, message: error.message });
    }
  });
  return { jobs, problems };
}

function splitLine(content) {
  const fieldCount = content.startsWith("@") ? 1 : 5;
  const words = content.split(/\s+/);
  const expression = words.slice(0, fieldCount).join(" ");
  const command = words.slice(fieldCount).join(" ");
  return { expression, command };
}

function unquote(value) {
  const match = /^(["'])(.*)\1$/.exec(value.trim());
  return match === null ? value.trim() : match[2];
}
