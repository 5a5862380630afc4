import type { GenericSchema } from 'valibot';
import type { Principal } from '../access/principal.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Reads a body once, within the limits of its kind, and fails with a CatalogError when it is not what was asked for. */
export type BodyReader = {
  /** The parsed JSON body; `undefined` when the body is empty. */
  json(): Promise<unknown>;
  /** The body as text, whatever its media type. */
  text(): Promise<string>;
  /** The same in pieces, none of which ends within a character: a long text is held once, and for as long as one likes. */
  pieces(): Promise<string[]>;
};

/** One request on its way through a route: everything a handler may look at. */
export type Call = {
  readonly requestId: string;
  readonly method: HttpMethod;
  /** Path parameters by name, percent-decoded exactly once. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: BodyReader;
  /** The caller. Public routes see an anonymous principal. */
  readonly principal: Principal;
  /** The network address of the caller; behind a proxy its own only where the proxy is trusted. */
  readonly address: string;
  /** What every `href` of the answer starts with: public base address and the prefix of this request. */
  readonly hrefBase: string;
  /** Says when the caller has gone away, so that work nobody waits for can be given up. */
  readonly signal: AbortSignal;
  /**
   * Counts characters that the answer has to parse, render or write. Beyond what the event loop may be held for it
   * throws a HandOver, and the whole request is answered by another thread: call it before anything is written.
   */
  readonly countWork: (characters: number) => void;
};

/** Thrown to have a request answered by another thread. */
export class HandOverToLane extends Error {
  override readonly name = 'HandOver';
}

/** What a handler answers: a JSON value, or a stream of JSON text, with its status and headers. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A value to be written as JSON; absent for an empty body. */
  readonly json?: unknown;
  /** A body that is encoded already, with its media type. */
  readonly encoded?: { readonly mediaType: string; readonly content: Uint8Array };
  /** Text written as it is, with its media type. */
  readonly text?: { readonly mediaType: string; readonly content: string };
  /** JSON text in pieces; a failure after the first piece breaks the connection. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
  /** The stream goes on for as long as somebody listens, so it takes none of the places that there are for requests. */
  readonly isEndless?: boolean;
  /** What the audit log has to know beside what the answer says; it is never sent. */
  readonly audited?: {
    /** Of a request about many rows whose answer is text: how many were refused for want of rights. */
    readonly refusedRows?: number;
    /** Whether a token was made that only this answer shows. */
    readonly issuesToken?: boolean;
  };
};

export type QueryParameter = {
  readonly name: string;
  readonly description: string;
  readonly schema: { readonly type: 'string' | 'integer' | 'boolean'; readonly [keyword: string]: unknown };
};

/** Who may call: anybody, anybody with a token, or whoever holds an operation on a resource (identity 5). */
export type RouteAccess =
  | 'public'
  | 'authenticated'
  | {
      readonly operation: string;
      readonly resource: string;
      /** What else counts, in a sentence, where the operation depends on the request. */
      readonly also?: string;
    };

/** One operation of the API. The router, the OpenAPI document and the access tests all read these declarations. */
export type Route = {
  readonly method: HttpMethod;
  /** Path with parameters in braces, below no prefix other than `/v1`: `/v1/tables/{id}`. */
  readonly path: string;
  /** A short sentence in the imperative: «List tables». */
  readonly summary: string;
  /** The heading this operation stands under in the documentation: a collection or a subject. */
  readonly tag: string;
  readonly access: RouteAccess;
  readonly query?: readonly QueryParameter[];
  /** What is read from the body. `maxBytes` is for kinds of body that are held to less than the general limit. */
  readonly body?: {
    readonly schema: GenericSchema;
    readonly mediaTypes: readonly string[];
    readonly maxBytes?: number;
  };
  /** Schemas of the successful answers by status; a status without a body maps to `undefined`. */
  readonly responses: Readonly<Record<number, GenericSchema | undefined>>;
  /** The media type of those answers, when it is not JSON. */
  readonly answers?: string;
  /** Whether it works on whole files, many records or much text, so that it is always left to the heavy lane. */
  readonly isHeavy?: boolean;
  /** Whether it is answered at once however much is going on, because it asks whether anything goes on. */
  readonly isProbe?: boolean;
  readonly handle: (call: Call) => Promise<Answer>;
};
