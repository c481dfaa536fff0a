import { createKeywordFinder } from "../keyword-finder.ts";
import type { Finding, SecretRule } from "./secret-rule.ts";

/** All findings of some rules in one pass, sorted and merged: overlapping ones become one, named by the rule that comes first. */
export function createRuleScan(rules: Readonly<Record<string, SecretRule>>): (text: string) => Finding[] {
  const wanted = Object.values(rules).flatMap((rule, rank) => rule.keywords.map((keyword) => ({ keyword, rule, rank })));
  const finder = createKeywordFinder(wanted.map(({ keyword }) => keyword));
  const ranks = Object.keys(rules).length;
  return (text) => {
    const found: Ranked[] = [];
    const untils = new Int32Array(ranks);
    finder.each(text, (index, at) => {
      const entry = wanted[index];
      if (entry === undefined || at < (untils[entry.rank] ?? 0)) return;
      const looked = entry.rule.look(text, at, entry.keyword);
      if (looked === null) return;
      untils[entry.rank] = Math.max(untils[entry.rank] ?? 0, looked.until);
      for (const finding of looked.findings) found.push({ finding, rank: entry.rank });
    });
    return found.length === 0 ? [] : merged(found);
  };
}

interface Ranked {
  readonly finding: Finding;
  readonly rank: number;
}

function merged(found: Ranked[]): Finding[] {
  found.sort((a, b) => a.finding.start - b.finding.start || a.rank - b.rank || b.finding.end - a.finding.end);
  const out: Ranked[] = [];
  for (const next of found) {
    const last = out.at(-1);
    if (last === undefined || next.finding.start >= last.finding.end) {
      out.push(next);
      continue;
    }
    const named = next.rank < last.rank ? next : last;
    const { type, sure } = named.finding;
    const end = Math.max(last.finding.end, next.finding.end);
    out[out.length - 1] = { finding: { type, start: last.finding.start, end, sure }, rank: named.rank };
  }
  return out.map(({ finding }) => finding);
}
