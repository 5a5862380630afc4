import type { JsonObject } from '../../../model/json.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';
import { countWords, type EventSender, openEventSender, tellEvents } from '../../event-sender.ts';
import { printList } from '../../print-list.ts';
import { createServiceRequest, ServiceRefusal } from '../../service-client.ts';
import type { Move, OtherCatalog } from '../move-command.ts';
import {
  datasetEvent,
  datasetKey,
  jobEvent,
  jobTagsEvent,
  MARQUEZ_CLASSIFICATION,
  openLineageName,
  runEvents,
} from './catalog-events.ts';
import { BEFORE_ALL_EVENTS, type EventPosition, readEventPages } from './event-pages.ts';
import { isHiddenNamespace, type MarquezReader, nameOfNamespace, openMarquez } from './read-catalog.ts';

/**
 * Brings lineage and runs of Marquez: first the run events that it keeps, in the order of their times, then what it knows
 * besides, as events that say the same.
 */

export const MARQUEZ: OtherCatalog = {
  command: 'import marquez',
  product: 'Marquez',
  serverVariable: 'MARQUEZ_URL',
  tokenVariable: 'MARQUEZ_API_KEY',
  base: '/api/v1',
  stateFile: 'tributary-marquez.jsonl',
  pageSize: 100,
};

/** What of Marquez came, and what did not. */
type MarquezTally = {
  tags: number;
  datasets: number;
  jobs: number;
  runs: number;
  readonly leftOut: Map<string, number>;
};

type MarquezRoom = {
  readonly move: Move;
  readonly reader: MarquezReader;
  readonly sender: EventSender;
  readonly tally: MarquezTally;
  /** The names of jobs and datasets that run events told of. */
  readonly named: { readonly jobs: Set<string>; readonly datasets: Set<string> };
  /** The names of datasets that events told of and that Marquez lists. */
  readonly listed: Set<string>;
};

const leaveOut = ({ leftOut }: MarquezTally, what: string): void => {
  leftOut.set(what, (leftOut.get(what) ?? 0) + 1);
};

const placeOf = (event: CatalogAnswer | JsonObject): string => {
  const { eventTime, job, dataset } = event as CatalogAnswer;
  const { namespace, name } = openLineageName(job ?? dataset);
  return `${textOf(eventTime)} ${namespace} ${name}`;
};

/** Sends an event, or only counts it. */
const send = async ({ move, sender }: MarquezRoom, event: CatalogAnswer | JsonObject): Promise<void> => {
  if (move.isDryRun) sender.summary.events += 1;
  else await sender.add(placeOf(event), event);
};

const flush = ({ move, sender }: MarquezRoom): Promise<void> => (move.isDryRun ? Promise.resolve() : sender.flush());

const keysOf = (value: unknown): readonly string[] => readList(value).map((one) => datasetKey(openLineageName(one)));

/** Notes the names of an event, and answers those that are new. */
const noteNames = ({ named }: MarquezRoom, events: readonly CatalogAnswer[]) => {
  const jobs = new Set<string>();
  const datasets = new Set<string>();
  for (const { job, run, inputs, outputs } of events) {
    jobs.add(datasetKey(openLineageName(job)));
    // What a parent runs tells of the parent, although Marquez makes a run of its own for it that never ends.
    const parent = objectOf(objectOf(objectOf(run)['facets'])['parent'])['job'];
    if (parent !== undefined) jobs.add(datasetKey(openLineageName(parent)));
    for (const key of [...keysOf(inputs), ...keysOf(outputs)]) datasets.add(key);
  }
  const news = {
    jobs: [...jobs].filter((key) => !named.jobs.has(key)),
    datasets: [...datasets].filter((key) => !named.datasets.has(key)),
  };
  for (const key of news.jobs) named.jobs.add(key);
  for (const key of news.datasets) named.datasets.add(key);
  return news;
};

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);

/** What the runs before have sent: where they stopped, and the names they met. */
const readJournal = ({ move, named }: MarquezRoom): EventPosition => {
  let position = BEFORE_ALL_EVENTS;
  for (const { after, read, jobs, datasets } of move.journal.steps) {
    position = { after: textOf(after), read: textsOf(read) };
    for (const key of textsOf(jobs)) named.jobs.add(key);
    for (const key of textsOf(datasets)) named.datasets.add(key);
  }
  return position;
};

const sendRunEvents = async (room: MarquezRoom): Promise<void> => {
  const { move, sender } = room;
  const start = readJournal(room);
  if (start !== BEFORE_ALL_EVENTS) move.input.output.note(`Going on after the events of ${start.after}.`);
  let total: number | undefined;
  for await (const page of readEventPages(move.source, move.pageSize, start)) {
    total ??= page.total;
    for (const event of page.events) await send(room, event);
    await flush(room);
    const names = noteNames(room, page.events);
    if (page.events.length > 0) {
      await move.journal.append({ after: page.position.after, read: [...page.position.read], ...names });
    }
    move.input.output.progress(`${sender.summary.events.toLocaleString('en')} of ${total.toLocaleString('en')} events`);
  }
};

/** Creates the classification of Marquez's tags and those that are missing. What people wrote of them stays. */
const createTags = async ({ move, reader, tally }: MarquezRoom): Promise<void> => {
  const ask = createServiceRequest(move.target);
  const createMissing = async (path: string, fqn: string, body: object): Promise<void> => {
    if (move.isDryRun) return;
    const exists = await ask(move.command, 'GET', `${path}/name/${encodeURIComponent(fqn)}?include=all`).then(
      () => true,
      (failure) => {
        if (failure instanceof ServiceRefusal && failure.status === 404) return false;
        throw failure;
      },
    );
    if (!exists) await ask(move.command, 'POST', path, body);
  };
  for await (const tag of reader.tags()) {
    const name = textOf(tag['name']);
    const description = textOf(tag['description']) || 'A tag of Marquez';
    if (tally.tags === 0) {
      await createMissing('classifications', MARQUEZ_CLASSIFICATION, {
        name: MARQUEZ_CLASSIFICATION,
        description: 'Tags that came from Marquez',
      });
    }
    const fqn = `${MARQUEZ_CLASSIFICATION}.${name}`;
    await createMissing('tags', fqn, { name, description, classification: MARQUEZ_CLASSIFICATION });
    tally.tags += 1;
  }
};

/** Sends what Marquez says of the datasets of a namespace, and answers those of which no event told. */
const sendDatasets = async (room: MarquezRoom, namespace: string): Promise<ReadonlyMap<string, CatalogAnswer>> => {
  const { move, reader, tally, named, listed } = room;
  const unnamed = new Map<string, CatalogAnswer>();
  for await (const dataset of reader.datasets(namespace)) {
    const key = datasetKey(openLineageName(dataset['id']));
    const hasEvents = named.datasets.has(key);
    if (hasEvents) listed.add(key);
    else unnamed.set(key, { columnLineage: dataset['columnLineage'] });
    if (textOf(dataset['schemaLocation']) !== '') leaveOut(tally, 'the schema location of a stream');
    const event = datasetEvent(move.source.server, dataset, hasEvents);
    if (event === undefined) continue;
    await send(room, event);
    tally.datasets += 1;
    move.input.output.progress(`${tally.datasets.toLocaleString('en')} datasets`);
  }
  return unnamed;
};

/** Sends what Marquez says of the jobs of a namespace that no event told of, with their runs, and the tags of the others. */
const sendJobs = async (
  room: MarquezRoom,
  namespace: string,
  datasets: ReadonlyMap<string, CatalogAnswer>,
): Promise<void> => {
  const { move, reader, tally, named } = room;
  const { server } = move.source;
  for await (const job of reader.jobs(namespace)) {
    const { name } = openLineageName(job['id']);
    if (Array.isArray(job['labels']) && job['labels'].length > 0) leaveOut(tally, 'the labels of a job');
    if (named.jobs.has(datasetKey(openLineageName(job['id'])))) {
      const tags = jobTagsEvent(server, job);
      if (tags) await send(room, tags);
      continue;
    }
    await send(room, jobEvent(server, job, await reader.newestVersion(namespace, name), datasets));
    tally.jobs += 1;
    for await (const run of reader.runs(namespace, name)) {
      if (Object.keys(objectOf(run['args'])).length > 0)
        leaveOut(tally, 'the arguments of a run that no event told of');
      for (const event of runEvents(server, job, run)) await send(room, event);
      tally.runs += 1;
    }
    move.input.output.progress(`${tally.jobs.toLocaleString('en')} jobs`);
  }
};

const sendCatalog = async (room: MarquezRoom): Promise<void> => {
  const { reader, tally } = room;
  await createTags(room);
  const shown: string[] = [];
  for await (const namespace of reader.namespaces()) {
    if (isHiddenNamespace(namespace)) leaveOut(tally, 'a namespace that was deleted in Marquez');
    else shown.push(nameOfNamespace(namespace));
    if (textOf(namespace['description']) !== '') leaveOut(tally, 'the description of a namespace');
    if (!['', 'anonymous'].includes(textOf(namespace['ownerName']))) leaveOut(tally, 'the owner of a namespace');
  }
  const unnamed = new Map<string, CatalogAnswer>();
  for (const namespace of shown) for (const entry of await sendDatasets(room, namespace)) unnamed.set(...entry);
  for (const namespace of shown) await sendJobs(room, namespace, unnamed);
  await flush(room);
};

/** The datasets that Marquez has deleted, which come all the same where events tell of them. */
const deletedDatasets = ({ named, listed }: MarquezRoom): readonly string[] =>
  [...named.datasets].filter((key) => !listed.has(key)).map((key) => (JSON.parse(key) as string[]).join(' '));

const tell = async (room: MarquezRoom): Promise<void> => {
  const { move, sender, tally } = room;
  const { input, isDryRun, target, command } = move;
  const deleted = deletedDatasets(room);
  const { tags, datasets, jobs, runs } = tally;
  const leftOut = [...tally.leftOut].map(([what, count]) => ({ what, count }));
  const { summary } = sender;
  if (!input.has('json')) {
    const { output } = input;
    if (isDryRun) output.line(`Nothing was written: ${countWords(summary.events, 'event')} would be sent`);
    const others = [countWords(datasets, 'dataset'), countWords(jobs, 'job'), countWords(runs, 'run')];
    output.line(`${countWords(tags, 'tag')}; besides the events of runs: ${others.join(', ')}`);
    printList(
      output,
      output.paint('bold', 'Left out'),
      leftOut.map(({ what, count }) => (count > 1 ? `${what} (${count} times)` : what)),
    );
    printList(output, output.paint('bold', 'Deleted in Marquez, where events still tell of them'), deleted);
    if (isDryRun) return;
  }
  const more = { dryRun: isDryRun, tags, datasets, jobs, runs, leftOut, deleted };
  await tellEvents(input, target, { command, summary, more });
};

/** Imports from Marquez. The exit code is 1 when something was refused. */
export const importMarquez = async (move: Move): Promise<number> => {
  const { input } = move;
  const sender = openEventSender(move.target, { command: move.command, onSent: () => undefined });
  const room: MarquezRoom = {
    move,
    reader: openMarquez(move.source, move.pageSize),
    sender,
    tally: { tags: 0, datasets: 0, jobs: 0, runs: 0, leftOut: new Map() },
    named: { jobs: new Set(), datasets: new Set() },
    listed: new Set(),
  };
  await sendRunEvents(room);
  await sendCatalog(room);
  await tell(room);
  const { refused } = sender.summary;
  if (refused > 0) input.output.note('To send again what was refused, delete the file of --state and import anew.');
  return refused > 0 ? 1 : 0;
};
