/** The states of data contracts in three vocabularies, and the labels of time zones (data-contracts.md 3, 4). */

type ContractState = {
  /** The state that is stored and returned. */
  readonly entityStatus: string;
  readonly specStatus: 'Draft' | 'Active' | 'Deprecated';
  readonly odcsStatus: string;
};

const CONTRACT_STATES = [
  { entityStatus: 'Draft', specStatus: 'Draft', odcsStatus: 'draft' },
  { entityStatus: 'In Review', specStatus: 'Draft', odcsStatus: 'draft' },
  { entityStatus: 'Rejected', specStatus: 'Draft', odcsStatus: 'draft' },
  { entityStatus: 'Unprocessed', specStatus: 'Draft', odcsStatus: 'draft' },
  { entityStatus: 'Approved', specStatus: 'Active', odcsStatus: 'active' },
  { entityStatus: 'Deprecated', specStatus: 'Deprecated', odcsStatus: 'deprecated' },
  { entityStatus: 'Archived', specStatus: 'Deprecated', odcsStatus: 'retired' },
] as const satisfies readonly ContractState[];

export type ContractEntityStatus = (typeof CONTRACT_STATES)[number]['entityStatus'];

const equalsIgnoringCase = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const findContractState = (entityStatus: string) =>
  CONTRACT_STATES.find((state) => state.entityStatus === entityStatus) ?? CONTRACT_STATES[0];

/**
 * Parses a state in any letter case. `active`, from the shorter vocabulary, is `Approved`. Undefined for other words.
 */
export const parseContractStatus = (word: string): ContractEntityStatus | undefined => {
  if (equalsIgnoringCase(word, 'Active')) return 'Approved';
  return CONTRACT_STATES.find(({ entityStatus }) => equalsIgnoringCase(entityStatus, word))?.entityStatus;
};

/** Converts a state to the vocabulary of three states. */
export const specStatusOf = (entityStatus: string): ContractState['specStatus'] =>
  findContractState(entityStatus).specStatus;

/** Converts a state to that of ODCS documents. */
export const odcsStatusOf = (entityStatus: string): string => findContractState(entityStatus).odcsStatus;

/** The words by which list filters find a contract: its own state, and the shorter vocabulary's. */
export const statusSearchWords = (entityStatus: string): readonly string[] => [
  ...new Set([entityStatus.toLowerCase(), specStatusOf(entityStatus).toLowerCase()]),
];

/** Whether nobody has agreed to the contract yet. */
export const isDraftStatus = (entityStatus: string): boolean => specStatusOf(entityStatus) === 'Draft';

/** The time zones of a service level. Some offsets are historically wrong: these are fixed labels. */
export const TIMEZONES = [
  'GMT-11:00 (Pacific/Niue)',
  'GMT-10:00 (Pacific/Honolulu)',
  'GMT-09:30 (Pacific/Marquesas)',
  'GMT-09:00 (America/Anchorage)',
  'GMT-08:00 (America/Los Angeles)',
  'GMT-07:00 (America/Denver)',
  'GMT-06:00 (America/Chicago)',
  'GMT-05:00 (America/New York)',
  'GMT-04:00 (America/Santiago)',
  'GMT-03:00 (America/Sao Paulo)',
  'GMT-02:30 (Atlantic/Newfoundland)',
  'GMT-02:00 (Atlantic/South_Georgia)',
  'GMT-01:00 (Atlantic/Azores)',
  'GMT+00:00 (Europe/London)',
  'GMT+01:00 (Europe/Paris)',
  'GMT+02:00 (Europe/Athens)',
  'GMT+03:00 (Europe/Moscow)',
  'GMT+03:00 (Asia/Iran)',
  'GMT+04:00 (Asia/Dubai)',
  'GMT+04:30 (Asia/Afghanistan)',
  'GMT+05:00 (Asia/Karachi)',
  'GMT+05:30 (Asia/Kolkata)',
  'GMT+05:45 (Asia/Nepal)',
  'GMT+06:00 (Asia/Dhaka)',
  'GMT+06:00 (Asia/Myanmar)',
  'GMT+07:00 (Asia/Bangkok)',
  'GMT+08:00 (Asia/Shanghai)',
  'GMT+08:45 (Australia/Australian Central Western Standard Time)',
  'GMT+09:00 (Asia/Tokyo)',
  'GMT+09:00 (Australia/Adelaide)',
  'GMT+10:00 (Australia/Sydney)',
  'GMT+10:30 (Australia/Lord Howe)',
  'GMT+11:00 (Pacific/Norfolk)',
  'GMT+12:00 (Pacific/Auckland)',
  'GMT+13:00 (Pacific/Tongatapu)',
  'GMT+14:00 (Pacific/Kiritimati)',
] as const;

export type Timezone = (typeof TIMEZONES)[number];

/** The time zone of a service level that is created without one. */
export const DEFAULT_TIMEZONE: Timezone = 'GMT+00:00 (Europe/London)';

/** Whether a text is one of the labels. */
export const isTimezone = (text: unknown): text is Timezone => (TIMEZONES as readonly unknown[]).includes(text);

/** Answers the offset that a label begins with: `+05:30`. */
export const timezoneOffset = (label: string): string => label.slice('GMT'.length, 'GMT+00:00'.length);

/** Finds the first label with that offset (`-08:00`). */
export const timezoneWithOffset = (offset: string): Timezone | undefined =>
  TIMEZONES.find((label) => timezoneOffset(label) === offset);
