import { summariseEvent } from '../model/event-summary.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { shortenText, toOneLine } from './message-text.ts';

/**
 * What a message says of change events, before it takes the form of a channel: who changed which asset, and how. All
 * texts are short, on one line and not yet escaped.
 */

/** One changed field: what it was and what it is. */
export type DescribedField = { readonly name: string; readonly before?: string; readonly after?: string };

export type ChangeEntry = {
  readonly assetType: string;
  readonly assetName: string;
  /** The address of the asset's page; absent when the public address of the service is unknown. */
  readonly url?: string;
  readonly actor: string;
  readonly summary: string;
  readonly fields: readonly DescribedField[];
  readonly timestamp: number;
};

export type ChangeMessage = {
  readonly title: string;
  readonly entries: readonly ChangeEntry[];
  /** How many further changes the message does not describe. */
  readonly omitted: number;
  /** Which subscription sends the message, or why its reader gets it. */
  readonly footer: string;
  /** The address of the page that ends such messages; absent when they cannot be ended by their reader. */
  readonly endUrl?: string;
};

/** Finds the address of an asset's page. */
export type AssetUrlOf = (entityType: string, fullyQualifiedName: string) => string | undefined;

/** How many changes a message describes, and how many fields of each. */
export const MAX_ENTRIES = 20;
const MAX_FIELDS = 5;
/** Escaped, a line with all of these still fits into the smallest text of a channel. */
const MAX_URL_LENGTH = 1200;
const MAX_NAME_LENGTH = 150;
const MAX_VALUE_LENGTH = 120;
const MAX_SUMMARY_LENGTH = 100;
const MAX_ACTOR_LENGTH = 60;
/** How a message calls whom its reader may not see. */
const HIDDEN_ACTOR = 'somebody';

const CHANGE_LISTS = ['fieldsUpdated', 'fieldsAdded', 'fieldsDeleted'] as const;

const formatValue = (value: Json | undefined): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  const text = toOneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return text === '' ? undefined : shortenText(text, MAX_VALUE_LENGTH);
};

const toFieldChange = (field: JsonObject): DescribedField => {
  const before = formatValue(member(field, 'oldValue'));
  const after = formatValue(member(field, 'newValue'));
  return {
    name: shortenText(toOneLine(String(field['name'] ?? '')), MAX_NAME_LENGTH),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
};

const fieldChangesOf = (change: JsonObject | undefined): DescribedField[] =>
  CHANGE_LISTS.flatMap((list) => {
    const fields = change && member(change, list);
    return isArray(fields) ? fields.filter(isObject).map(toFieldChange) : [];
  }).slice(0, MAX_FIELDS);

const textOf = (event: JsonObject, name: string): string => {
  const value = member(event, name);
  return typeof value === 'string' ? value : '';
};

/** A change in short: of which asset, by whom, and what it was. */
export type ShortChange = {
  readonly entityType: string;
  readonly entityId: string;
  /** The full name of the asset; empty when it has none. */
  readonly entityFqn: string;
  /** The name of whoever made the change; empty when the reader may not see that user. */
  readonly actor: string;
  readonly summary: string;
  readonly timestamp: number;
};

/** Builds the entry of a change without the values of its fields. */
export const buildShortEntry = (change: ShortChange, assetUrlOf: AssetUrlOf): ChangeEntry => {
  const { entityType, entityFqn: name, timestamp } = change;
  const url = name === '' ? undefined : assetUrlOf(entityType, name);
  return {
    assetType: entityType,
    assetName: shortenText(toOneLine(name === '' ? change.entityId : name), MAX_NAME_LENGTH),
    ...(url === undefined || url.length > MAX_URL_LENGTH ? {} : { url }),
    actor: shortenText(toOneLine(change.actor === '' ? HIDDEN_ACTOR : change.actor), MAX_ACTOR_LENGTH),
    summary: shortenText(toOneLine(change.summary), MAX_SUMMARY_LENGTH),
    fields: [],
    timestamp,
  };
};

const toEntry = (event: JsonObject, assetUrlOf: AssetUrlOf): ChangeEntry => {
  const change = member(event, 'changeDescription');
  const description = isObject(change) ? change : undefined;
  const short = {
    entityType: textOf(event, 'entityType'),
    entityId: textOf(event, 'entityId'),
    entityFqn: textOf(event, 'entityFullyQualifiedName'),
    actor: textOf(event, 'userName'),
    summary: summariseEvent(textOf(event, 'eventType'), description),
    timestamp: Number(event['timestamp'] ?? 0),
  };
  return { ...buildShortEntry(short, assetUrlOf), fields: fieldChangesOf(description) };
};

/** Shortens a name that a caller chose to one line of a message. */
export const shortenName = (name: string): string => shortenText(toOneLine(name), MAX_NAME_LENGTH);

/** What a message tells of beyond the events that it describes. */
export type MessageScope = {
  /** How many changes the message tells of, and of how many assets. */
  readonly changes: number;
  readonly assets: number;
  readonly subscriptionName: string;
};

export const titleOfChanges = (
  [first]: readonly ChangeEntry[],
  { assets, changes }: Pick<MessageScope, 'assets' | 'changes'>,
): string => {
  if (changes > 1) return `${changes} changes to ${assets === 1 ? (first?.assetName ?? '') : `${assets} assets`}`;
  return first ? `${first.assetName} (${first.assetType}): ${first.summary}` : '';
};

/** Builds the content of a message from the events that it describes, at most `MAX_ENTRIES`. */
export const buildChangeMessage = (
  events: readonly JsonObject[],
  scope: MessageScope,
  assetUrlOf: AssetUrlOf,
): ChangeMessage => {
  const entries = events.slice(0, MAX_ENTRIES).map((event) => toEntry(event, assetUrlOf));
  return {
    title: titleOfChanges(entries, scope),
    entries,
    omitted: scope.changes - entries.length,
    footer: `Sent by the subscription ${shortenName(scope.subscriptionName)}`,
  };
};

/** Describes fewer changes until the rendered message has at most this many bytes. */
export const fitMessage = (message: ChangeMessage, maxBytes: number, render: (message: ChangeMessage) => string) => {
  let fitting = message;
  let text = render(fitting);
  while (Buffer.byteLength(text) > maxBytes && fitting.entries.length > 1) {
    const entries = fitting.entries.slice(0, Math.ceil(fitting.entries.length / 2));
    fitting = { ...fitting, entries, omitted: message.omitted + message.entries.length - entries.length };
    text = render(fitting);
  }
  return text;
};

/** The line that says how many changes a message leaves out; undefined when it describes all of them. */
export const describeOmitted = ({ omitted }: ChangeMessage): string | undefined =>
  omitted === 0 ? undefined : `and ${omitted} more ${omitted === 1 ? 'change' : 'changes'}`;
