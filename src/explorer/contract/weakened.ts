import { flattenPromises } from './columns.ts';
import type { ContractColumn, ContractForm, Member, ServiceLevel } from './form.ts';

/** What a change of a contract takes from those who rely on it. */

export type Weakening = { readonly member: Member; readonly text: string };

type FlatColumns = ReadonlyMap<string, ContractColumn>;

const weakenedColumns = (before: FlatColumns, after: FlatColumns): readonly string[] =>
  [...before].flatMap(([path, old]) => {
    const next = after.get(path);
    if (next === undefined) return [`${path} is no longer promised`];
    if (next.dataType !== old.dataType) return [`${path} changes its type from ${old.dataType} to ${next.dataType}`];
    if (old.constraint !== undefined && old.constraint !== 'NULL' && next.constraint !== old.constraint)
      return [`${path} is no longer ${old.constraint.toLowerCase().replaceAll('_', ' ')}`];
    return [];
  });

const weakenedRules = (before: ContractForm, after: ContractForm): readonly string[] => {
  const rules = new Map(after.semantics.map((rule) => [rule.name, rule]));
  return before.semantics.flatMap((old) => {
    const next = rules.get(old.name);
    if (next === undefined) return [`The rule ${old.name} is gone`];
    if (old.enabled && !next.enabled) return [`The rule ${old.name} is switched off`];
    return next.rule === old.rule ? [] : [`The rule ${old.name} asks for something else`];
  });
};

const weakenedTests = (before: ContractForm, after: ContractForm): readonly string[] => {
  const present = new Set(after.qualityExpectations.map(({ id }) => id));
  return before.qualityExpectations
    .filter(({ id }) => !present.has(id))
    .map(({ displayName, name, id }) => `The test ${displayName || name || id} need no longer pass`);
};

const MINUTES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    minute: 1,
    hour: 60,
    day: 1440,
    week: 10_080,
    month: 43_200,
    year: 525_600,
  }),
);

/** A duration in minutes; months and years are near enough to be compared. */
const minutes = (amount: number | undefined, unit: string | undefined): number | undefined =>
  amount === undefined || unit === undefined ? undefined : amount * (MINUTES.get(unit) ?? Number.NaN);

const isGone = (before: unknown, after: unknown): boolean => before !== undefined && after === undefined;

const isMore = (before: number | undefined, after: number | undefined): boolean =>
  before !== undefined && after !== undefined && after > before;

const weakenedLevels = (before: ServiceLevel, after: ServiceLevel): readonly string[] => {
  const refresh = ({ refreshFrequency: every }: ServiceLevel) => minutes(every?.interval, every?.unit);
  const latency = ({ maxLatency: most }: ServiceLevel) => minutes(most?.value, most?.unit);
  const kept = ({ retention: time }: ServiceLevel) => minutes(time?.period, time?.unit);
  const [oldTime, newTime] = [before.availabilityTime, after.availabilityTime];
  return [
    isGone(refresh(before), refresh(after)) ? 'No refresh is promised any more' : '',
    isMore(refresh(before), refresh(after)) ? 'The data is refreshed less often' : '',
    isGone(latency(before), latency(after)) ? 'No latency is promised any more' : '',
    isMore(latency(before), latency(after)) ? 'The data may be older' : '',
    isGone(oldTime, newTime) ? 'No time of the day is promised any more' : '',
    oldTime !== undefined && newTime !== undefined && newTime > oldTime
      ? `The data is there at ${newTime}, no longer at ${oldTime}`
      : '',
    isMore(kept(after), kept(before)) ? 'The data is kept for a shorter time' : '',
    isGone(kept(before), kept(after)) ? 'No retention is promised any more' : '',
  ].filter((text) => text !== '');
};

const weakenedTerm = (before: ContractForm, after: ContractForm): readonly Weakening[] => {
  const found: Weakening[] = [];
  if (before.entityStatus === 'Approved' && after.entityStatus !== 'Approved')
    found.push({ member: 'entityStatus', text: `It is no longer in force, but ${after.entityStatus}` });
  const isShorter =
    after.effectiveUntil !== '' && (before.effectiveUntil === '' || after.effectiveUntil < before.effectiveUntil);
  if (isShorter) found.push({ member: 'effectiveUntil', text: 'It ends earlier' });
  return found;
};

export const findWeakened = (before: ContractForm, after: ContractForm): readonly Weakening[] => {
  const say = (member: Member, texts: readonly string[]): readonly Weakening[] =>
    texts.map((text) => ({ member, text }));
  const columns = (form: ContractForm): FlatColumns => new Map(flattenPromises(form.schema));
  return [
    ...weakenedTerm(before, after),
    ...say('schema', weakenedColumns(columns(before), columns(after))),
    ...say('semantics', weakenedRules(before, after)),
    ...say('qualityExpectations', weakenedTests(before, after)),
    ...say('sla', weakenedLevels(before.sla, after.sla)),
  ];
};
