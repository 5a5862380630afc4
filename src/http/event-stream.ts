import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../errors.ts';
import type { Answer } from './route.ts';

/** A server-sent event. `data` may be JSON text already, so that many readers can share it. */
export type ServerEvent = { readonly event: string; readonly id?: string } & (
  | { readonly data: unknown }
  | { readonly json: string }
);

/** Produces events. The signal aborts when the client has gone, and the source must then end. */
export type ServerEventSource = (signal: AbortSignal) => AsyncGenerator<ServerEvent, void, undefined>;

/** Tells a client why its stream ends before it has ended by itself. */
export const closeEvent = (reason: string): ServerEvent => ({ event: 'close', data: { reason } });

/** The event streams of one process: counted per person, and closed together. */
export type EventStreams = {
  /**
   * Answers a response that carries the events of a source. Fails with too_many_requests when this person has too many
   * open.
   */
  open(person: string, source: ServerEventSource): Answer;
  /** Ends all streams, so that a stopping server does not wait for them. */
  close(): void;
};

export type EventStreamOptions = {
  readonly heartbeatMs?: number;
  readonly maxPerPrincipal?: number;
  /** The maximum number of open streams in one process. */
  readonly maxTotal?: number;
  /** Waits until the next heartbeat is due. */
  readonly wait?: typeof sleep;
};

const HEARTBEAT_MS = 15_000;
const MAX_STREAMS_PER_PRINCIPAL = 5;
const MAX_STREAMS = 2000;

const HEARTBEAT = ': ping\n\n';

/** The media type of event streams. */
export const EVENT_STREAM_TYPE = 'text/event-stream';

const STREAM_HEADERS = {
  'Content-Type': `${EVENT_STREAM_TYPE}; charset=utf-8`,
  'Cache-Control': 'no-store',
  // Some proxies buffer responses before they forward them.
  'X-Accel-Buffering': 'no',
};

/** Formats an event. JSON text has no line breaks, so one `data` line is enough. */
const formatServerEvent = (event: ServerEvent): string => {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return `${id}event: ${event.event}\ndata: ${'json' in event ? event.json : JSON.stringify(event.data)}\n\n`;
};

type HeartbeatOptions = Required<Pick<EventStreamOptions, 'heartbeatMs' | 'wait'>>;

const STREAM_END = { done: true, value: undefined } as const;

/** Waits for the next event, for the heartbeat, or for the end, whichever comes first. */
const nextOrHeartbeat = async (
  coming: Promise<IteratorResult<ServerEvent, void>>,
  closing: AbortSignal,
  { heartbeatMs, wait }: HeartbeatOptions,
): Promise<IteratorResult<ServerEvent, void> | undefined> => {
  const quiet = new AbortController();
  const silence = wait(heartbeatMs, undefined, { signal: quiet.signal, ref: false }).catch(() => undefined);
  const closed = new Promise<typeof STREAM_END>((resolve) => {
    if (closing.aborted) resolve(STREAM_END);
    closing.addEventListener('abort', () => resolve(STREAM_END), { once: true, signal: quiet.signal });
  });
  try {
    return await Promise.race([closed, coming, silence]);
  } finally {
    quiet.abort();
  }
};

/**
 * Streams events as text. It starts with a comment, so that the client knows the stream is open, and sends another
 * whenever there was no event for a while, so that proxies do not drop the connection. The next event is fetched only
 * when the connection can take it, so a slow reader skips to later states.
 */
const streamText = (
  source: ServerEventSource,
  closing: AbortController,
  silence: HeartbeatOptions,
): AsyncIterator<string> => {
  const events = source(closing.signal);
  let isOpen = false;
  let coming: Promise<IteratorResult<ServerEvent, void>> | undefined;
  const advance = async (): Promise<IteratorResult<string, undefined>> => {
    coming ??= events.next();
    const found = await nextOrHeartbeat(coming, closing.signal, silence);
    if (found === undefined) return { done: false, value: HEARTBEAT };
    coming = undefined;
    if (!found.done) return { done: false, value: formatServerEvent(found.value) };
    closing.abort();
    return STREAM_END;
  };
  return {
    next: async () => {
      if (!isOpen) {
        isOpen = true;
        return { done: false, value: HEARTBEAT };
      }
      try {
        return await advance();
      } catch (failure) {
        closing.abort();
        throw failure;
      }
    },
    return: () => {
      closing.abort();
      return Promise.resolve(STREAM_END);
    },
  };
};

/** Creates the event streams of one process. */
export const createEventStreams = (options: EventStreamOptions = {}): EventStreams => {
  const {
    heartbeatMs = HEARTBEAT_MS,
    maxPerPrincipal = MAX_STREAMS_PER_PRINCIPAL,
    maxTotal = MAX_STREAMS,
    wait = sleep,
  } = options;
  const open = new Map<string, Set<AbortController>>();
  let count = 0;

  const admit = (person: string): AbortController => {
    const theirs = open.get(person) ?? new Set();
    if (theirs.size >= maxPerPrincipal) {
      throw new CatalogError('too_many_requests', `Only ${maxPerPrincipal} event streams may be open at once`);
    }
    if (count >= maxTotal) throw new CatalogError('unavailable', 'Too many event streams are open, try again shortly');
    count += 1;
    const closing = new AbortController();
    open.set(person, theirs.add(closing));
    const leave = () => {
      count -= 1;
      theirs.delete(closing);
      if (theirs.size === 0 && open.get(person) === theirs) open.delete(person);
    };
    closing.signal.addEventListener('abort', leave, { once: true });
    return closing;
  };

  return {
    // A stream counts once its first piece is requested: a response without a body never requests one.
    open: (person, source) => ({
      status: 200,
      headers: STREAM_HEADERS,
      isEndless: true,
      stream: { [Symbol.asyncIterator]: () => streamText(source, admit(person), { heartbeatMs, wait }) },
    }),
    close: () => {
      for (const theirs of [...open.values()]) for (const closing of [...theirs]) closing.abort();
    },
  };
};
