import { statedExitCode } from "../../lib/commands/results.ts";
import type { Conduct, Done } from "./conduct.ts";

/** Failures that are not the agent's: the machine it works on, or the way there, is broken. */

/** Nobody can work without these. `python` is not among them: many images have only `python3`. */
const basics = "ls|cat|cd|cp|mv|rm|mkdir|echo|grep|sed|awk|find|head|tail|git|bash|sh|env|touch|chmod|python3|pip3?|tar|make";
const broken = [
  /No space left on device|Disk quota exceeded|ENOSPC/,
  /Cannot allocate memory|ENOMEM|fork: (?:retry: )?Resource temporarily unavailable|bash: line \d{1,9}: +\d{1,9} Killed/,
  /Read-only file system/,
  /Temporary failure (?:in name resolution|resolving)|Could not resolve host|Name or service not known|Network is unreachable|No route to host|EAI_AGAIN|ENOTFOUND|Failed to establish a new connection|NewConnectionError|Could not connect to proxy|Failed to fetch https?:|unable to access .https?:[^\n]{1,300}: (?:Failed to connect|Connection|Could not)/,
  new RegExp(`(?:^|[\\s/])(?:ba|da|z)?sh: (?:line )?(?:\\d{1,9}: )?(?:${basics}): (?:command )?not found`, "m"),
  /Error response from daemon|[Cc]ontainer [\w./-]{1,100} (?:is not running|not found|has stopped)|OCI runtime exec failed|[Rr]untime (?:was )?(?:closed|shut down|disconnected)|(?:shell|session|sandbox|container) (?:has )?(?:died|crashed|is dead)|Connection to (?:the )?(?:runtime|container|sandbox) (?:was )?(?:lost|closed)/,
];

const edge = 4_000; // characters at either end of an answer: errors of the machine stand alone or last

const ends = (text: string): string => (text.length <= 2 * edge ? text : `${text.slice(0, edge)}\n${text.slice(-edge)}`);

/** What a call shows or writes may speak of any failure; only one that fails, or runs something, reports its own. */
const reports = ({ action }: Done): boolean => action.failed || action.kind === "run" || action.kind === "test" || action.kind === "other";

/** Calls whose answer says that disk, memory, network, basic tools or the container itself failed. */
export const environmentFailed = ({ done }: Conduct): Done[] =>
  done.filter((one) => one.call.result !== null && reports(one) && broken.some((words) => words.test(ends(one.call.result ?? ""))));
export const environmentFailures = (conduct: Conduct): number => environmentFailed(conduct).length;

/** Words of scaffolds, at the beginning or the end of an answer: SWE-agent, mini-swe-agent, OpenHands, Claude Code, our own. */
const late =
  /\btimed out after\b|(?:command|execution|process|session|tool) (?:has )?timed out|EXECUTION TIMED OUT|TIMEOUT: |The command has no new output after|\bcommand was (?:killed|stopped|cancelled) because it (?:ran|took)|because it (?:took|has been running) longer than/i;
const stopped = 124; // of coreutils' `timeout`, and of scaffolds that follow it
const nearEdge = 600; // characters

/** Calls that were stopped, or left running, because they took too long. */
export const timedOut = ({ done }: Conduct): Done[] =>
  done.filter(({ call, action }) => {
    if ((call.exitCode ?? (call.result === null ? null : statedExitCode(call.result))) === stopped) return true;
    const result = call.result ?? "";
    const shows = action.kind === "explore" && !action.failed;
    return !shows && action.kind !== "edit" && (late.test(result.slice(0, nearEdge)) || late.test(result.slice(-nearEdge)));
  });
export const timeouts = (conduct: Conduct): number => timedOut(conduct).length;
