import { objectOf, openCatalog, readList, textOf } from './catalog-client.ts';
import type { CommandInput } from './command.ts';
import { printList } from './print-list.ts';
import { readObjects } from './read-events.ts';
import { createServiceRequest, type ServiceConnection, ServiceRefusal } from './service-client.ts';

/** Sends OpenLineage events of a file to a running service and tells what became of them. */

/** The bounds of one request, far below those of the service so that progress is seen. */
const MAX_BATCH_EVENTS = 200;
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** The maximum number of different names and reasons that are told; further ones are only counted. */
const MAX_TOLD = 1000;

type Refusal = { readonly place: string; readonly message: string };

type Summary = {
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

const createSummary = (): Summary => ({
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

const addRefusal = (summary: Summary, refusal: Refusal): void => {
  summary.refused += 1;
  if (summary.refusals.length < MAX_TOLD) summary.refusals.push(refusal);
};

const addAccepted = (summary: Summary, answer: unknown): void => {
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
const createSender = (remote: ServiceConnection, path: string, summary: Summary) => {
  const ask = createServiceRequest(remote);
  return async (batch: readonly SentEvent[]): Promise<void> => {
    const places = new Map<string, string[]>();
    for (const { place, text } of batch) places.set(text, [...(places.get(text) ?? []), place]);
    const events = batch.map(({ text }) => JSON.parse(text) as unknown);
    const response = await ask(`import openlineage (${batch[0]?.place})`, 'POST', path, events).catch((failure) => {
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
    for (const { request, message } of readList(answer['failedRequest'])) {
      const place = places.get(JSON.stringify(request))?.shift() ?? '';
      addRefusal(summary, { place, message: textOf(message) });
    }
  };
};

const printSummary = (input: CommandInput, summary: Summary): void => {
  const { output } = input;
  const count = (word: string, number: number) => `${number.toLocaleString('en')} ${word}`;
  output.line(
    `${count(summary.events === 1 ? 'event' : 'events', summary.events)}: ${count('accepted', summary.accepted)}, ${count('refused', summary.refused)}`,
  );
  output.line(`${count('assets matched', summary.matched.size)}, ${count('created', summary.created.size)}`);
  printList(output, output.paint('bold', 'Created'), [...summary.created]);
  const times = [...summary.unapplied].map(([reason, number]) => (number > 1 ? `${reason} (${number} times)` : reason));
  printList(output, output.paint('bold', 'Not applied'), times);
  printList(output, output.paint('bold', 'Columns that do not exist'), [...summary.unknownColumns]);
  printList(output, output.paint('bold', 'SQL that was not understood'), [...summary.unresolved]);
  const refusals = summary.refusals.map(({ place, message }) => `${place}: ${message}`);
  printList(output, output.paint('bold', output.paint('red', 'Refused')), refusals);
};

/**
 * Names the namespaces that join nothing else of the catalog, with the services that they probably mean. Who may not list
 * them is told none.
 */
const readUnmatched = async (remote: ServiceConnection): Promise<readonly string[]> => {
  try {
    const { data } = await openCatalog(remote, 'import openlineage').readJson('lineage/openlineage/unmatched');
    return readList(data).map(({ namespace, likely }) => {
      const services = readList(likely).map(({ service }) => textOf(objectOf(service)['fullyQualifiedName']));
      return `${textOf(namespace)}${services.length > 0 ? `: probably ${services.join(' or ')}` : ''}`;
    });
  } catch (failure) {
    if (failure instanceof ServiceRefusal && failure.status === 403) return [];
    throw failure;
  }
};

/** Sends the events of a file in batches. The exit code is 1 when one was refused. */
export const importOpenLineage = async (input: CommandInput, remote: ServiceConnection): Promise<number> => {
  const [file = ''] = input.positionals;
  const summary = createSummary();
  const path = `lineage/openlineage/batch${input.has('parse-sql') ? '?parseSql=true' : ''}`;
  const send = createSender(remote, path, summary);
  let batch: SentEvent[] = [];
  let characters = 0;
  const sendBatch = async () => {
    if (batch.length > 0) await send(batch);
    [batch, characters] = [[], 0];
    input.output.progress(`${summary.events.toLocaleString('en')} events sent`);
  };
  for await (const read of readObjects(file)) {
    summary.events += 1;
    if ('fault' in read) {
      addRefusal(summary, { place: read.place, message: read.fault });
      continue;
    }
    const text = JSON.stringify(read.value);
    if (batch.length === MAX_BATCH_EVENTS || characters + text.length > MAX_BATCH_CHARACTERS) await sendBatch();
    batch.push({ place: read.place, text });
    characters += text.length;
  }
  await sendBatch();
  const unmatched = summary.created.size > 0 ? await readUnmatched(remote) : [];
  if (input.has('json')) {
    const { matched, created, unapplied, unknownColumns, unresolved, ...counts } = summary;
    const told = [...unapplied].map(([facet, number]) => ({ facet, count: number }));
    const names = { matched: [...matched], created: [...created], unapplied: told };
    input.output.json({
      ...counts,
      ...names,
      unknownColumns: [...unknownColumns],
      unresolved: [...unresolved],
      unmatched,
    });
  } else {
    printSummary(input, summary);
    printList(input.output, input.output.paint('bold', 'Namespaces that match no service'), unmatched);
  }
  if (summary.events === 0) input.output.note(`${file} holds no event.`);
  return summary.refused > 0 || summary.events === 0 ? 1 : 0;
};
