import type { Ports } from "../../stages/stage.ts";
import { openTokenizer } from "../adapters/model-tokenizer.ts";
import { evaluationPort } from "../contamination/load.ts";
import type { Settled } from "../keys.ts";
import type { Backbone } from "../llm/backbone.ts";
import { ownSecrets } from "../secrets/own.ts";
import { sha256 } from "../store/digest.ts";
import { ledgerFolder, type RunFolder } from "../store/run-folder.ts";

export interface World {
  readonly ports: Ports;
  close(): Promise<void>;
}

/** The real ports. The backbone is loaded and opened at the first request, so that stages which ask for nothing need neither client nor endpoint. */
export async function openWorld(run: RunFolder, settled: Settled, cacheDir: string, signal: AbortSignal): Promise<World> {
  const { countTokens } = await openTokenizer(settled.tokenizer); // loaded at the first count
  let backbone: Promise<Backbone> | null = null;
  return {
    ports: {
      complete: async (request) => {
        const own = ownSecrets(settled.endpoint.apiKey);
        backbone ??= import("../llm/backbone.ts").then(({ openBackbone }) =>
          openBackbone({ settings: settled.endpoint, cacheDir, ledgerDir: ledgerFolder(run), countTokens, own, signal }),
        );
        return (await backbone).complete(request);
      },
      countTokens,
      digest: sha256,
      evaluationSets: evaluationPort(settled),
    },
    close: async () => {
      if (backbone !== null) await (await backbone).close();
    },
  };
}
