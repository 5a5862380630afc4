import type { App } from '../../src/app.ts';
import { waitUntil } from './patience.ts';

/** Reads server-sent event streams strictly. */

/** One event of a stream: an optional id, a name, and one line of data. */
export type StreamedEvent = {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at data of every shape, and an absent member must fail the assertion, not the compiler.
  readonly data: any;
};

export type EventStreamReader = {
  readonly response: Response;
  readonly heard: readonly StreamedEvent[];
  /** Comments, as they came between the events. */
  readonly comments: readonly string[];
  /** Whether the stream has ended. */
  isOver(): boolean;
  /** Waits until so many events have come, and answers all that have. */
  count(count: number): Promise<readonly StreamedEvent[]>;
  /** Waits until the stream has ended. */
  end(): Promise<readonly StreamedEvent[]>;
  leave(): Promise<void>;
};

const BLOCK = /^(?:id: (\d+)\n)?event: (\w+)\ndata: ([^\n]*)$/;

const readAll = async (reader: ReadableStreamDefaultReader<Uint8Array>, take: (block: string) => void) => {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) take(block);
  }
};

/** Listens to a stream of events. Everything that is no event and no comment in the one form there is fails the test. */
export const readEventStream = (response: Response): EventStreamReader => {
  const heard: StreamedEvent[] = [];
  const comments: string[] = [];
  let isOver = false;
  let failure: unknown;
  const reader = response.body?.getReader();
  const take = (block: string) => {
    if (block.startsWith(':')) return comments.push(block);
    const [, id, event, data] = BLOCK.exec(block) ?? [];
    if (event === undefined || data === undefined) throw new Error(`this is no event: ${JSON.stringify(block)}`);
    return heard.push({ id, event, data: JSON.parse(data) });
  };
  const reading = (reader ? readAll(reader, take) : Promise.resolve())
    .catch((cause: unknown) => {
      failure = cause;
    })
    .finally(() => {
      isOver = true;
    });
  const until = async (is: () => boolean, what: string) => {
    const isOrFails = () => {
      if (is()) return true;
      if (failure) throw failure;
      return false;
    };
    await waitUntil(isOrFails, what, () => heard);
    return heard;
  };
  return {
    response,
    heard,
    comments,
    isOver: () => isOver,
    count: (count) => until(() => heard.length >= count, `event ${count} comes`),
    end: () => until(() => isOver, 'the stream ends'),
    leave: async () => {
      await reader?.cancel();
      await reading;
    },
  };
};

/** Listens to the stream of an application without a socket. */
export const openEventStream = async (
  app: App,
  token: string,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStreamReader> =>
  readEventStream(
    await app.hono.request(`/v1/events/stream?${query}`, { headers: { authorization: `Bearer ${token}`, ...headers } }),
  );
