import { adpStandard } from "./adp-standard.ts";
import { atif } from "./atif.ts";
import { catgenRollout } from "./catgen-rollout.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codexRollout } from "./codex-rollout.ts";
import type { Dialect } from "./dialect.ts";
import { geminiCli } from "./gemini-cli.ts";
import { messages } from "./messages.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { moatlessNodes } from "./moatless-nodes.ts";
import { moatlessTransitions } from "./moatless-transitions.ts";
import { nebiusOpenhands } from "./nebius-openhands.ts";
import { nebiusSweAgent } from "./nebius-swe-agent.ts";
import { openhandsCompletions } from "./openhands-completions.ts";
import { openhandsV0Events } from "./openhands-v0-events.ts";
import { openhandsV1Events } from "./openhands-v1-events.ts";
import { pi } from "./pi.ts";
import { r2eGym } from "./r2e-gym.ts";
import { sharegpt } from "./sharegpt.ts";
import { sweAgent } from "./swe-agent.ts";
import { sweGym } from "./swe-gym.ts";
import { swePlay } from "./swe-play.ts";
import { sweSmith } from "./swe-smith.ts";
import { trae } from "./trae.ts";

/** Every format we import, by name. At most one recognises a value, so the order decides nothing. */
export const dialects = {
  "catgen-rollout": catgenRollout,
  "swe-agent": sweAgent,
  "mini-swe-agent": miniSweAgent,
  "openhands-completions": openhandsCompletions,
  "openhands-v0-events": openhandsV0Events,
  "openhands-v1-events": openhandsV1Events,
  "nebius-openhands": nebiusOpenhands,
  "nebius-swe-agent": nebiusSweAgent,
  "swe-smith": sweSmith,
  "swe-gym": sweGym,
  "swe-play": swePlay,
  "r2e-gym": r2eGym,
  messages,
  "adp-standard": adpStandard,
  sharegpt,
  atif,
  "moatless-nodes": moatlessNodes,
  "moatless-transitions": moatlessTransitions,
  "claude-code": claudeCode,
  "codex-rollout": codexRollout,
  "gemini-cli": geminiCli,
  cline,
  pi,
  trae,
} satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
