import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Client, Errors } from 'typesense';
import type { Json, JsonObject } from '../../model/json.ts';

/** All calls to a Typesense server, limited in time and number of retries. */

/**
 * Why a request failed: the server is unavailable, the collection differs from what the program expects, or the server
 * rejected it.
 */
export type FaultKind = 'away' | 'behind' | 'refused';

export class TypesenseFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.name = 'TypesenseFault';
    this.kind = kind;
  }
}

export type CollectionField = {
  readonly name: string;
  readonly type: 'string' | 'string[]' | 'int64' | 'int64[]' | 'float' | 'bool';
  readonly facet?: boolean;
  readonly index?: boolean;
  readonly optional?: boolean;
  readonly sort?: boolean;
};

export type CollectionSchema = {
  readonly name: string;
  readonly fields: readonly CollectionField[];
  readonly default_sorting_field?: string;
  readonly token_separators?: readonly string[];
};

export type Collection = { readonly name: string; readonly documents: number };
export type CollectionAlias = { readonly name: string; readonly collection: string };

/** One of several searches that are sent together. */
export type ServerSearch = {
  readonly collection: string;
  readonly q: string;
} & Readonly<Record<string, string | number | boolean>>;

export type ServerHit = { readonly document: JsonObject; readonly text_match_info?: { readonly score?: string } };

export type FacetCounts = {
  readonly field_name: string;
  readonly counts: readonly { readonly value: string; readonly count: number }[];
  readonly stats?: { readonly total_values?: number };
};

export type ServerResult = {
  readonly found: number;
  readonly hits: readonly ServerHit[];
  readonly facet_counts: readonly FacetCounts[];
};

/** The result of one line of an import. */
export type ImportLine = { readonly success: boolean; readonly code?: number; readonly error?: string };

export type TypesenseClient = {
  readonly version: () => Promise<string>;
  /** Runs all searches at once; if one fails, all fail. */
  readonly search: (searches: readonly ServerSearch[]) => Promise<readonly ServerResult[]>;
  /** Imports lines of JSON; returns the result of each. */
  readonly importLines: (
    collection: string,
    lines: readonly string[],
    action: 'create' | 'upsert',
  ) => Promise<readonly ImportLine[]>;
  /** Reads the ids of all documents of a collection with the revisions of their records. */
  readonly revisions: (collection: string) => Promise<ReadonlyMap<string, number>>;
  /** Removes documents; missing ones are ignored. */
  readonly deleteDocuments: (collection: string, ids: readonly string[]) => Promise<void>;
  readonly createCollection: (schema: CollectionSchema) => Promise<void>;
  readonly dropCollection: (collection: string) => Promise<void>;
  readonly collections: () => Promise<readonly Collection[]>;
  readonly aliases: () => Promise<readonly CollectionAlias[]>;
  readonly setAlias: (alias: string, collection: string) => Promise<void>;
  readonly deleteAlias: (alias: string) => Promise<void>;
  readonly close: () => void;
};

export type TypesenseOptions = {
  readonly url: string;
  readonly apiKey: string;
  /** The time limit of a search, and that of an import or a change of collections. */
  readonly askMs?: number;
  readonly workMs?: number;
};

const ASK_MS = 2000;
const WORK_MS = 30_000;
const RETRIES = 1;
const RETRY_MS = 50;
/** The server's limit on searches in one request. */
export const MAX_SEARCHES_PER_REQUEST = 50;
/** The most ids in one delete filter. */
const REMOVED_AT_ONCE = 100;

const statusOf = (failure: unknown): number | undefined =>
  failure instanceof Errors.TypesenseError ? failure.httpStatus : undefined;

/** Servers report an unknown field or collection with different messages, and with 400 or 404. */
const isUnknownField = (status: number | undefined, message: string): boolean =>
  status === 404 ||
  (status === 400 && /could not find a (filter |facet |sort )?field|not found|no field/i.test(message));

/** Errors of the client library contain the request with the API key, so only their message is passed on. */
const toFault = (status: number | undefined, message: string): TypesenseFault => {
  const isAway = status === undefined || status === 0 || status >= 500 || status === 408 || status === 429;
  const kind = isAway ? 'away' : isUnknownField(status, message) ? 'behind' : 'refused';
  return new TypesenseFault(kind, `Typesense: ${message}`);
};

const messageOf = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));

const wrapFailures = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof TypesenseFault) throw failure;
    throw toFault(statusOf(failure), messageOf(failure));
  }
};

/** A collection or document that is already removed needs no removal. */
const ignoreMissing = async (remove: () => Promise<unknown>): Promise<void> => {
  try {
    await remove();
  } catch (failure) {
    if (statusOf(failure) !== 404) throw failure;
  }
};

/** Limits the time whatever the client library does. */
const withTimeout = async <T>(ms: number, work: () => Promise<T>, giveUp: () => void): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp();
      reject(new TypesenseFault('away', `Typesense: no answer within ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([wrapFailures(work), late]);
  } finally {
    clearTimeout(timer);
  }
};

const LOG_SILENT = 5;

const createClient = (url: string, apiKey: string, timeoutMs: number) => {
  const options = { keepAlive: true, maxSockets: 64 };
  const [httpAgent, httpsAgent] = [new HttpAgent(options), new HttpsAgent(options)];
  const client = new Client({
    nodes: [{ url }],
    apiKey,
    connectionTimeoutSeconds: timeoutMs / 1000,
    numRetries: RETRIES,
    retryIntervalSeconds: RETRY_MS / 1000,
    healthcheckIntervalSeconds: 1,
    logLevel: LOG_SILENT,
    httpAgent,
    httpsAgent,
  });
  const drop = () => {
    httpAgent.destroy();
    httpsAgent.destroy();
  };
  return { client, drop };
};

type ServerReply = Partial<ServerResult> & { readonly error?: string; readonly code?: number };

const readResult = (answer: ServerReply): ServerResult => {
  if (answer.error !== undefined) throw toFault(answer.code, answer.error);
  return { found: answer.found ?? 0, hits: answer.hits ?? [], facet_counts: answer.facet_counts ?? [] };
};

const readImportLine = (text: string): ImportLine => {
  const line = JSON.parse(text) as Json;
  return line as unknown as ImportLine;
};

/**
 * Reads a line of an export; undefined where a document was removed meanwhile: servers from 30 on say that in a line of
 * plain text, and those before end the export there with an error, so that the rest is unknown.
 */
const readExportLine = (line: string): readonly [id: string, revision: number] | undefined => {
  if (!line.startsWith('{')) return undefined;
  const { id, revision } = JSON.parse(line) as { readonly id?: string; readonly revision: number };
  if (id === undefined) throw toFault(500, `the export ended early: ${line}`);
  return [id, revision];
};

/** Makes a call to the server, within a time limit for all its attempts. */
type ServerCall = <T>(run: (client: Client) => Promise<T>) => Promise<T>;

/** Two connections, so that long work never holds up a search. */
type ServerConnections = {
  /** Asks for something that a request waits for. */
  readonly ask: ServerCall;
  /** Does work that may take long. */
  readonly work: ServerCall;
  readonly close: () => void;
};

const openConnections = ({ url, apiKey, askMs = ASK_MS, workMs = WORK_MS }: TypesenseOptions): ServerConnections => {
  const asking = createClient(url, apiKey, askMs);
  const working = createClient(url, apiKey, workMs);
  return {
    // The client library retries by itself; all attempts share this time limit.
    ask: (run) => withTimeout(askMs, () => run(asking.client), asking.drop),
    work: (run) => withTimeout(workMs * (RETRIES + 1), () => run(working.client), working.drop),
    close: () => {
      asking.drop();
      working.drop();
    },
  };
};

type QuestionCalls = Pick<TypesenseClient, 'version' | 'search'>;

const questionCalls = ({ ask }: ServerConnections): QuestionCalls => ({
  version: () => ask(async (client) => String((await client.debug.retrieve()).version)),
  search: (searches) =>
    ask(async (client) => {
      const body = { searches } as unknown as Parameters<typeof client.multiSearch.perform>[0];
      const { results } = (await client.multiSearch.perform(body)) as unknown as { results: readonly ServerReply[] };
      return results.map(readResult);
    }),
});

type DocumentCalls = Pick<TypesenseClient, 'importLines' | 'revisions' | 'deleteDocuments'>;

const documentCalls = ({ work }: ServerConnections): DocumentCalls => ({
  importLines: (collection, lines, action) =>
    work(async (client) => {
      const answer = await client.collections(collection).documents().import(lines.join('\n'), { action });
      const results = String(answer).split('\n').map(readImportLine);
      if (results.length !== lines.length) throw toFault(500, `${results.length} answers for ${lines.length} lines`);
      return results;
    }),
  revisions: (collection) =>
    work(async (client) => {
      const include_fields = 'id,revision';
      const text = String(await client.collections(collection).documents().export({ include_fields }));
      const documents = text.split('\n').map(readExportLine);
      return new Map(documents.filter((document) => document !== undefined));
    }),
  deleteDocuments: (collection, ids) =>
    work(async (client) => {
      for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
        const some = ids.slice(at, at + REMOVED_AT_ONCE).join(',');
        await client
          .collections(collection)
          .documents()
          .delete({ filter_by: `id:=[${some}]` });
      }
    }),
});

type CollectionCalls = Pick<TypesenseClient, 'createCollection' | 'dropCollection' | 'collections'>;

const collectionCalls = ({ work }: ServerConnections): CollectionCalls => ({
  createCollection: (schema) =>
    work(async (client) => {
      const { name, fields, ...rest } = schema;
      const copied = fields.map((field) => ({ ...field }));
      await client.collections().create({
        name,
        fields: copied,
        ...(rest.default_sorting_field ? { default_sorting_field: rest.default_sorting_field } : {}),
        ...(rest.token_separators ? { token_separators: [...rest.token_separators] } : {}),
      });
    }),
  dropCollection: (collection) => work((client) => ignoreMissing(() => client.collections(collection).delete())),
  collections: () =>
    work(async (client) => {
      const all = await client.collections().retrieve();
      return all.map(({ name, num_documents }) => ({ name, documents: num_documents }));
    }),
});

type AliasCalls = Pick<TypesenseClient, 'aliases' | 'setAlias' | 'deleteAlias'>;

const aliasCalls = ({ work }: ServerConnections): AliasCalls => ({
  aliases: () =>
    work(async (client) => {
      const { aliases } = await client.aliases().retrieve();
      return aliases.map(({ name, collection_name }) => ({ name, collection: collection_name }));
    }),
  setAlias: (alias, collection) =>
    work(async (client) => {
      await client.aliases().upsert(alias, { collection_name: collection });
    }),
  deleteAlias: (alias) => work((client) => ignoreMissing(() => client.aliases(alias).delete())),
});

/** A client for one server, or for one address of a cluster. */
export const createTypesenseClient = (options: TypesenseOptions): TypesenseClient => {
  const connections = openConnections(options);
  return {
    ...questionCalls(connections),
    ...documentCalls(connections),
    ...collectionCalls(connections),
    ...aliasCalls(connections),
    close: connections.close,
  };
};
