import type { Sandbox } from "../../stages/lib/sandbox.ts";
import { shellQuoted } from "../../stages/lib/shell-quote.ts";
import type { Ran, ShellCommand } from "./shell.ts";

/** Runs a script in the helper's shell; null: it gave no answer in time, and is gone. */
export type Helper = (command: Omit<ShellCommand, "timeoutMs">) => Promise<Ran | null>;

function absolute(path: string): string {
  if (!path.startsWith("/")) throw new Error(`a path inside a sandbox must be absolute, got ${JSON.stringify(path)}`);
  return shellQuoted(path);
}

const reasons = { 10: "missing", 11: "folder", 12: "special", 13: "denied", 14: "too-large" } as const;
type Reason = (typeof reasons)[keyof typeof reasons];
const said: Record<Reason, string> = {
  missing: "it cannot be made",
  folder: "it is a folder",
  special: "it is no regular file",
  denied: "writing there is not allowed",
  "too-large": "it does not fit: limit of file size, or disk full",
};
const reasonOf = (ran: Ran): Reason | null => reasons[ran.exitCode as keyof typeof reasons] ?? null;

/** Links are followed, and lead nowhere but into the sandbox. What is neither file nor folder is never opened: a FIFO would wait for ever. */
const kindOfFile = "if [ -d $p ]; then exit 11; elif [ -e $p ] && [ ! -f $p ]; then exit 12; fi".replaceAll("$p", '"$p"');

/**
 * Reading and writing through a shell that is not the agent's: no alias, trap or variable of theirs is in it. Each script runs in a
 * subshell, so that it may `exit`.
 */
export function insideFiles(helper: Helper): Pick<Sandbox, "put" | "get" | "snapshot"> {
  return {
    put: async (path, content) => {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      if (path.includes("\0")) return { ok: false, why: "no path holds a zero byte" };
      const write = `head -c ${bytes.length} >"$p" || exit 14`;
      const script = `(p=${absolute(path)}; ${kindOfFile}; [ -d "\${p%/*}/" ] || mkdir -p -- "\${p%/*}/" || exit 10; (: >>"$p") || exit 13; ${write}) 2>/dev/null`;
      const ran = await helper({ script, input: bytes, keepBytes: 0 });
      if (ran?.exitCode === 0) return { ok: true };
      const why = ran === null ? null : reasonOf(ran);
      return { ok: false, why: why === null ? "the sandbox gave no answer" : said[why] };
    },

    get: async (path, maxBytes) => {
      if (path.includes("\0")) return { ok: false, why: "missing" };
      const size = `[ "$(wc -c <"$p")" -le ${maxBytes} ] || exit 14`;
      const script = `(p=${absolute(path)}; [ -e "$p" ] || exit 10; ${kindOfFile}; [ -r "$p" ] || exit 13; ${size}; head -c ${maxBytes + 1} -- "$p") 2>/dev/null`;
      const ran = await helper({ script, input: null, keepBytes: 2 * (maxBytes + 1) });
      if (ran === null) return { ok: false, why: "special" }; // turned into a FIFO between look and read
      const bytes = ran.output.whole;
      if (ran.exitCode !== 0 || bytes === null) return { ok: false, why: reasonOf(ran) ?? "denied" };
      return bytes.length > maxBytes ? { ok: false, why: "too-large" } : { ok: true, bytes };
    },

    snapshot: async (path, maxBytes) => {
      const script = `(cd -- ${absolute(path)} || exit 10; tar -cf - . | head -c ${maxBytes + 1}; exit "\${PIPESTATUS[0]}") 2>/dev/null`;
      const ran = await helper({ script, input: null, keepBytes: 2 * (maxBytes + 1) });
      const bytes = ran?.output.whole ?? null;
      if (ran === null || bytes === null) return { ok: false, why: "the sandbox gave no answer" };
      if (bytes.length > maxBytes) return { ok: false, why: `${path} makes more than ${maxBytes} bytes` };
      return ran.exitCode === 0 || ran.exitCode === 1 // 1: a file changed while it was read
        ? { ok: true, bytes }
        : { ok: false, why: `${path} cannot be read` };
    },
  };
}
