import type { Reference } from '../api/types.ts';
import type { ContractForm, Member, ServiceLevel } from './form.ts';

/** Clauses in words, for reading and comparing. */

const amount = (count: number, unit: string): string => (count === 1 ? `1 ${unit}` : `${count} ${unit}s`);

/** The promises of a service level, one a line. */
export const describeLevel = (sla: ServiceLevel): readonly string[] =>
  [
    sla.refreshFrequency ? `Refreshed every ${amount(sla.refreshFrequency.interval, sla.refreshFrequency.unit)}` : '',
    sla.maxLatency ? `No older than ${amount(sla.maxLatency.value, sla.maxLatency.unit)}` : '',
    sla.availabilityTime ? `Complete by ${sla.availabilityTime}` : '',
    sla.timezone ? `Times are in ${sla.timezone}` : '',
    sla.retention ? `Kept for ${amount(sla.retention.period, sla.retention.unit)}` : '',
    sla.columnName ? `The column ${sla.columnName} has the time of the data` : '',
  ].filter((line) => line !== '');

const describePeople = (people: readonly Reference[]): string =>
  people.map(({ displayName, name, id }) => displayName || name || id).join('\n');

export const describeClause = (form: ContractForm, member: Member): string => {
  switch (member) {
    case 'schema':
      return form.schema
        .map(({ name, dataType, constraint }) => [name, dataType, constraint].filter(Boolean).join(' '))
        .join('\n');
    case 'semantics':
      return form.semantics.map(({ name, rule, enabled }) => `${name}${enabled ? '' : ' (off)'}: ${rule}`).join('\n');
    case 'sla':
      return describeLevel(form.sla).join('\n');
    case 'security':
      return Object.keys(form.security).length === 0 ? '' : JSON.stringify(form.security, null, 2);
    case 'qualityExpectations':
    case 'owners':
    case 'reviewers':
      return describePeople(form[member]);
    default:
      return form[member];
  }
};
