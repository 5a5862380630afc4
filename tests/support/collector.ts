import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { waitFor } from './patience.ts';

/** A collector of OpenTelemetry for tests: an OTLP receiver that keeps what arrives, and reads it when it is JSON. */

type OtlpValue = { readonly stringValue?: string; readonly intValue?: number | string; readonly boolValue?: boolean };

type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly { readonly key: string; readonly value: OtlpValue }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number; readonly message?: string };
};

export type CollectedSpan = Omit<OtlpSpan, 'attributes' | 'links'> & {
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
};

type Export = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

export type Collector = {
  readonly address: string;
  readonly exports: readonly Export[];
  /** All spans so far, of exports in JSON. */
  spans(): CollectedSpan[];
  /** Waits until `find` answers something. */
  until<T>(find: (spans: readonly CollectedSpan[]) => T | undefined): Promise<T>;
  /** Sets what is answered from now on, and after how long or after what. */
  react(status: number, after?: number | Promise<unknown>): void;
  close(): Promise<void>;
};

const readSpan = ({ attributes = [], links = [], ...span }: OtlpSpan): CollectedSpan => ({
  ...span,
  links,
  attributes: Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  ),
});

const readSpans = ({ body }: Export): CollectedSpan[] => {
  type Scoped = { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] };
  const { resourceSpans } = JSON.parse(body.toString()) as { readonly resourceSpans: readonly Scoped[] };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(readSpan)));
};

export const openCollector = async (): Promise<Collector> => {
  const exports: Export[] = [];
  let reaction: { readonly status: number; readonly after: number | Promise<unknown> } = { status: 200, after: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    exports.push({ path: request.url ?? '', headers: request.headers, body });
    const { status, after } = reaction;
    await (typeof after === 'number' ? sleep(after, undefined, { ref: false }) : after);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = () => exports.flatMap(readSpans);
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    spans,
    until: async <T>(find: (spans: readonly CollectedSpan[]) => T | undefined) => {
      const isFound = (found: T | undefined): found is T & {} => found !== undefined;
      return waitFor(() => find(spans()), isFound, 'a span is collected');
    },
    react: (status, after = 0) => {
      reaction = { status, after };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
