import type { FakeRepository } from "./repository.ts";
import type { FakeStore } from "./store.ts";

/** One request goes wrong in this way. */
export type HubFault =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string>; readonly error?: string }
  /** The connection breaks before an answer; the request is not acted on. */
  | { readonly kind: "close" }
  /** The connection breaks after this many bytes of the body came in. */
  | { readonly kind: "close-after"; readonly bytes: number }
  /** The request is acted on, and the answer is lost. */
  | { readonly kind: "lost-answer" }
  /** Never an answer. */
  | { readonly kind: "stall" };

export interface HubRequest {
  readonly method: string;
  /** Decoded, without the query; of the store it begins with `/blobs/`, `/parts/` or `/complete/`. */
  readonly path: string;
  readonly store: boolean;
  readonly bytes: number;
  readonly range: string | null;
}

export interface FakeAccount {
  readonly name: string;
  readonly role: "read" | "write" | "fineGrained";
  /** Owners of datasets that the token may write to. */
  readonly writes: readonly string[];
}

export interface FakeHubOptions {
  /** By token. */
  readonly accounts?: Readonly<Record<string, FakeAccount>>;
  /** Larger files are uploaded in parts of this size; left out: never. */
  readonly partBytes?: number;
  /** Entries per page of a listing. */
  readonly pageEntries?: number;
  /** Asked for every request before it is read; null = all goes well. */
  readonly fault?: (request: Omit<HubRequest, "bytes">) => HubFault | null;
}

export interface HubWorld {
  readonly options: FakeHubOptions;
  readonly repositories: Map<string, FakeRepository>;
  readonly store: FakeStore;
  address: string;
  storeAddress: string;
}
