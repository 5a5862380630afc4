import { objectOf, openCatalog, readList, textOf } from './catalog-client.ts';
import type { CommandInput } from './command.ts';
import { printList } from './print-list.ts';
import { createServiceRequest, type ServiceConnection, ServiceRefusal } from './service-client.ts';

/** Sends OpenLineage events to a running service in bounded batches, and sums up what became of them. */

/** The bounds of one request, far below those of the service so that progress is seen. */
const MAX_BATCH_EVENTS = 200;
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** The maximum number of different names and reasons that are told; further ones are only counted. */
const MAX_TOLD = 1000;

const TOO_MUCH_TOGETHER = 413;

type Refusal = { readonly place: string; readonly message: string };

export type EventSummary = {
  events: number;
  accepted: number;
  refused: number;
  readonly refusals: Refusal[];
  readonly matched: Set<string>;
  readonly created: Set<string>;
  /** How often a facet was not applied, by facet and reason. */
  readonly unapplied: Map<string, number>;
  readonly unknownColumns: Set<string>;
  readonly unresolved: Set<string>;
};

const createSummary = (): EventSummary => ({
  events: 0,
  accepted: 0,
  refused: 0,
  refusals: [],
  matched: new Set(),
  created: new Set(),
  unapplied: new Map(),
  unknownColumns: new Set(),
  unresolved: new Set(),
});

const addName = (names: Set<string>, name: string): void => {
  if (name !== '' && names.size < MAX_TOLD) names.add(name);
};

const addRefusal = (summary: EventSummary, refusal: Refusal): void => {
  summary.refused += 1;
  if (summary.refusals.length < MAX_TOLD) summary.refusals.push(refusal);
};

const addAccepted = (summary: EventSummary, answer: unknown): void => {
  const told = objectOf(answer);
  summary.accepted += 1;
  for (const { matched, created } of readList(told['datasets'])) {
    addName(summary.matched, textOf(objectOf(matched)['fullyQualifiedName']));
    addName(summary.created, textOf(objectOf(created)['fullyQualifiedName']));
  }
  for (const facet of readList(told['unappliedFacets'])) {
    const reason = `${textOf(facet['facet'])} of a ${textOf(facet['of'])}: ${textOf(facet['reason'])}`;
    if (summary.unapplied.has(reason) || summary.unapplied.size < MAX_TOLD) {
      summary.unapplied.set(reason, (summary.unapplied.get(reason) ?? 0) + 1);
    }
  }
  for (const part of readList(told['unresolved'])) addName(summary.unresolved, textOf(part['reason']));
  const columns = told['unknownColumns'];
  if (Array.isArray(columns)) for (const name of columns) addName(summary.unknownColumns, textOf(name));
};

type SentEvent = { readonly place: string; readonly text: string };

/** Sends events in one request; each is taken or refused by itself. */
const createBatchSender = (remote: ServiceConnection, command: string, path: string, summary: EventSummary) => {
  const ask = createServiceRequest(remote);
  const sendBatch = async (batch: readonly SentEvent[]): Promise<void> => {
    const waiting = new Map<string, SentEvent[]>();
    for (const event of batch) waiting.set(event.text, [...(waiting.get(event.text) ?? []), event]);
    const events = batch.map(({ text }) => JSON.parse(text) as unknown);
    const response = await ask(`${command} (${batch[0]?.place})`, 'POST', path, events).catch((failure) => {
      // A request that the service refuses as a whole is no reason to drop those after it, unless nobody may send any.
      if (failure instanceof ServiceRefusal && failure.status === 400) return failure;
      throw failure;
    });
    if (response instanceof ServiceRefusal) {
      for (const { place } of batch) addRefusal(summary, { place, message: response.message });
      return;
    }
    const answer = objectOf(await response.json());
    for (const one of readList(answer['successRequest'])) addAccepted(summary, one);
    const tooMuch: SentEvent[] = [];
    for (const { request, message, status } of readList(answer['failedRequest'])) {
      const event = waiting.get(JSON.stringify(request))?.shift();
      // What did not fit beside the others of its request comes in the next one.
      if (event !== undefined && status === TOO_MUCH_TOGETHER && batch.length > 1) tooMuch.push(event);
      else addRefusal(summary, { place: event?.place ?? '', message: textOf(message) });
    }
    const half = Math.ceil(batch.length / 2);
    for (let at = 0; at < tooMuch.length; at += half) await sendBatch(tooMuch.slice(at, at + half));
  };
  return sendBatch;
};

export type EventSender = {
  readonly summary: EventSummary;
  /** Takes an event, and sends those before it when a request is full. */
  add(place: string, event: unknown): Promise<void>;
  /** Counts an event that cannot even be read. */
  refuse(place: string, message: string): void;
  flush(): Promise<void>;
};

/** What of the sender is the command's own. */
type SenderOptions = {
  /** The name of the command, for messages. */
  readonly command: string;
  readonly parseSql?: boolean;
  readonly onSent: (summary: EventSummary) => void;
};

/** Opens a sender whose batches are bounded by events and characters. */
export const openEventSender = (
  remote: ServiceConnection,
  { command, parseSql = false, onSent }: SenderOptions,
): EventSender => {
  const summary = createSummary();
  const sendBatch = createBatchSender(
    remote,
    command,
    `lineage/openlineage/batch${parseSql ? '?parseSql=true' : ''}`,
    summary,
  );
  let batch: SentEvent[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await sendBatch(batch);
    [batch, characters] = [[], 0];
    onSent(summary);
  };
  return {
    summary,
    flush,
    add: async (place, event) => {
      const text = JSON.stringify(event);
      if (batch.length === MAX_BATCH_EVENTS || characters + text.length > MAX_BATCH_CHARACTERS) await flush();
      summary.events += 1;
      batch.push({ place, text });
      characters += text.length;
    },
    refuse: (place, message) => {
      summary.events += 1;
      addRefusal(summary, { place, message });
    },
  };
};

/** A number and what it counts. */
export const countWords = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

const printSummary = (input: CommandInput, summary: EventSummary, unmatched: readonly string[]): void => {
  const { output } = input;
  const number = (value: number) => value.toLocaleString('en');
  output.line(
    `${countWords(summary.events, 'event')}: ${number(summary.accepted)} accepted, ${number(summary.refused)} refused`,
  );
  output.line(`${number(summary.matched.size)} assets matched, ${number(summary.created.size)} created`);
  printList(output, output.paint('bold', 'Created'), [...summary.created]);
  const times = [...summary.unapplied].map(([reason, count]) => (count > 1 ? `${reason} (${count} times)` : reason));
  printList(output, output.paint('bold', 'Not applied'), times);
  printList(output, output.paint('bold', 'Columns that do not exist'), [...summary.unknownColumns]);
  printList(output, output.paint('bold', 'SQL that was not understood'), [...summary.unresolved]);
  const refusals = summary.refusals.map(({ place, message }) => `${place}: ${message}`);
  printList(output, output.paint('bold', output.paint('red', 'Refused')), refusals);
  printList(output, output.paint('bold', 'Namespaces that match no service'), unmatched);
};

/**
 * Names the namespaces that join nothing else of the catalog, with the services that they probably mean. Who may not list
 * them is told none.
 */
const readUnmatched = async (remote: ServiceConnection, command: string): Promise<readonly string[]> => {
  try {
    const { data } = await openCatalog(remote, command).readJson('lineage/openlineage/unmatched');
    return readList(data).map(({ namespace, likely }) => {
      const services = readList(likely).map(({ service }) => textOf(objectOf(service)['fullyQualifiedName']));
      return `${textOf(namespace)}${services.length > 0 ? `: probably ${services.join(' or ')}` : ''}`;
    });
  } catch (failure) {
    if (failure instanceof ServiceRefusal && failure.status === 403) return [];
    throw failure;
  }
};

/** Tells what became of the events, in words or as the members of a JSON answer that begins with `more`. */
export const tellEvents = async (
  input: CommandInput,
  remote: ServiceConnection,
  { command, summary, more = {} }: { readonly command: string; readonly summary: EventSummary; readonly more?: object },
): Promise<void> => {
  const unmatched = summary.created.size > 0 ? await readUnmatched(remote, command) : [];
  if (!input.has('json')) {
    printSummary(input, summary, unmatched);
    return;
  }
  const { matched, created, unapplied, unknownColumns, unresolved, ...counts } = summary;
  input.output.json({
    ...more,
    ...counts,
    matched: [...matched],
    created: [...created],
    unapplied: [...unapplied].map(([facet, count]) => ({ facet, count })),
    unknownColumns: [...unknownColumns],
    unresolved: [...unresolved],
    unmatched,
  });
};
