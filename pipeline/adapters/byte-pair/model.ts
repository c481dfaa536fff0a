/** What the encoder needs of a Hugging Face `tokenizer.json` of type BPE with byte-level pre-tokenizing. */
export interface BytePairModel {
  /** Token, spelled in GPT-2's printable alphabet (one character per byte), to id. */
  readonly vocab: Readonly<Record<string, number>>;
  /** Best first: `"left right"` or `["left", "right"]`. Ids of the merged tokens must rise, so that an id serves as its own rank. */
  readonly merges: readonly (string | readonly [string, string])[];
  /** Found literally in any text, before everything else, and never split. */
  readonly controlTokens: readonly { readonly content: string; readonly id: number }[];
  /** What Llama 3 does otherwise: up to three digits a piece, no normal form, and a piece that is a token is never merged. */
  readonly likeLlama?: boolean;
}
