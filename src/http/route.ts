import type { GenericSchema } from 'valibot';
import type { Principal } from '../access/principal.ts';
import type { AccessNeed } from '../model/schemas/access/policy.ts';
import type { RequestSlot } from './request-slot.ts';

/**
 * The declaration of a route, and what its handler receives and answers. Read this file first, then `router.ts` (the
 * path of a request: `request-context.ts`, `route-table.ts`, `request-body.ts`, `respond.ts`, and `answer-encoding.ts` for
 * compression), `server.ts` (sockets and time limits) and `request-lane.ts` (the second thread). The rest are helpers for
 * routes (`query-parameters.ts`, `csv-writer.ts`, `event-stream.ts`), the API document (`openapi/`, `docs-routes.ts`), and
 * logs and metrics.
 */

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Reads a body once, within the limits of its kind. Fails with a CatalogError when it is not in the requested form. */
export type BodyReader = {
  /** Answers the parsed JSON body, or `undefined` when the body is empty. */
  json(): Promise<unknown>;
  /** Answers the body as text, whatever its media type. */
  text(): Promise<string>;
  /**
   * Answers the text in pieces, none of which ends within a character, so that a long text need not be joined in
   * memory.
   */
  pieces(): Promise<string[]>;
};

/** One request as its handler sees it. */
export type Call = {
  readonly requestId: string;
  readonly method: HttpMethod;
  /** Path parameters by name, percent-decoded exactly once. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: BodyReader;
  /** The caller. Public routes receive an anonymous principal. */
  readonly principal: Principal;
  /** The network address of the caller. Behind a proxy, it is the caller's own only if the proxy is trusted. */
  readonly address: string;
  /** The slot of the request in the share of its caller. A request to the service itself may use it meanwhile. */
  readonly slot?: RequestSlot | undefined;
  /** The prefix of every `href` in the answer: the public base address and the prefix of this request. */
  readonly hrefBase: string;
  /** Aborts when the caller has disconnected, so that useless work can stop. */
  readonly signal: AbortSignal;
  /**
   * Counts the characters that the answer has to parse, render or write. Beyond the limit of the event loop it throws a
   * HandOverToLane, and another thread answers the whole request: call it before anything is written.
   */
  readonly countWork: (characters: number) => void;
};

/** Thrown to have another thread answer the request. */
export class HandOverToLane extends Error {
  override readonly name = 'HandOver';
}

/** The answer of a handler: a JSON value, text, bytes or a stream, with a status and headers. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie`, each sent in a header of its own. */
  readonly cookies?: readonly string[];
  /** A value to write as JSON. Absent for an empty body. */
  readonly json?: unknown;
  /** An encoded body, with its media type. */
  readonly encoded?: { readonly mediaType: string; readonly content: Uint8Array };
  /** Text to write unchanged, with its media type. */
  readonly text?: { readonly mediaType: string; readonly content: string };
  /** JSON text in pieces. A failure after the first piece closes the connection. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
  /** The stream lasts as long as the client listens, so it occupies no request slot. */
  readonly isEndless?: boolean;
  /** Facts for the audit log that the answer does not contain. They are never sent. */
  readonly audited?: {
    /** For a request with many rows and a text answer: how many rows were refused for lack of permission. */
    readonly refusedRows?: number;
    /** Whether a token was issued that only this answer shows. */
    readonly issuesToken?: boolean;
    /** The user whose session the request began or ended. */
    readonly person?: string;
    /** The users whose sessions the provider ended. */
    readonly people?: readonly string[];
  };
};

/** Answers a visit to an address that no route has, by the segments of its path and the status that it has so far. */
export type AnswerStray = (segments: readonly string[], status: number) => Answer;

export type QueryParameter = {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: 'string' | 'integer' | 'boolean' | readonly ['integer', 'string'];
    readonly [keyword: string]: unknown;
  };
};

/** Who may call the route: anybody, anybody with a token, or callers with an operation on a resource (identity 5). */
export type RouteAccess =
  | 'public'
  | 'authenticated'
  | {
      readonly operation: string;
      readonly resource: string;
      /** A sentence on further conditions, where the operation depends on the request. */
      readonly also?: string;
      /**
       * The rights of which a caller needs one on some record, whatever the request says; `rights-asked-first.ts` tells
       * when they are asked. Empty where every row of a request has an answer of its own.
       */
      readonly anyOf?: readonly AccessNeed[];
    };

/** One operation of the API. The router, the OpenAPI document and the access tests all read these declarations. */
export type Route = {
  readonly method: HttpMethod;
  /** The path with parameters in braces, with no prefix other than `/v1`: `/v1/tables/{id}`. */
  readonly path: string;
  /** A short imperative sentence: «List tables». */
  readonly summary: string;
  /** The heading of the operation in the documentation: a collection or a subject. */
  readonly tag: string;
  readonly access: RouteAccess;
  readonly query?: readonly QueryParameter[];
  /** The body that the route reads. `maxBytes` is for bodies with a lower limit than the general one. */
  readonly body?: {
    readonly schema: GenericSchema;
    readonly mediaTypes: readonly string[];
    readonly maxBytes?: number;
  };
  /** Schemas of the successful answers by status. A status without a body maps to `undefined`. */
  readonly responses: Readonly<Record<number, GenericSchema | undefined>>;
  /** The media type of those answers, when it is not JSON. */
  readonly answers?: string;
  /** What each line or event of an answer holds that is a stream of them. */
  readonly each?: GenericSchema;
  /** Further media types that a parameter chooses. Their answers are text. */
  readonly alsoAnswers?: readonly string[];
  /** The headers that the handler reads, beyond those of every request. */
  readonly reads?: readonly string[];
  /** The headers of those answers, beyond those of every answer. */
  readonly sends?: readonly string[];
  /** Statuses of failures that nothing else here implies, such as 429 where attempts are limited. */
  readonly fails?: readonly number[];
  /** What the error body of a refused request has as its result, where it has one. */
  readonly refusalResult?: GenericSchema;
  /** Whether the route processes whole files, many records or much text. The heavy lane then always answers it. */
  readonly isHeavy?: boolean;
  /**
   * Whether the operation is Tributary's own. It refuses query parameters that it does not declare; the operations of
   * OpenMetadata ignore them, as existing clients expect, and say so in a header.
   */
  readonly isOwn?: boolean;
  /**
   * Whether its answers may show passwords or tokens. They are never compressed, because the length of a compressed text
   * tells of repetitions in it.
   */
  readonly showsCredentials?: boolean;
  /** Whether the route is answered at once under any load, because it is a health probe. */
  readonly isProbe?: boolean;
  readonly handle: (call: Call) => Promise<Answer>;
};

/** Marks operations as Tributary's own. */
export const asOwn = (routes: readonly Route[]): Route[] => routes.map((route) => ({ ...route, isOwn: true }));
