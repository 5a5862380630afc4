/** The closed vocabularies of data contracts (data-contracts.md 3 and 4). */

/** Where availability times are told: an offset, and the places that it is known by. */
const ZONES: Readonly<Record<string, readonly string[]>> = {
  '-11:00': ['Pacific/Niue'],
  '-10:00': ['Pacific/Honolulu'],
  '-09:30': ['Pacific/Marquesas'],
  '-09:00': ['America/Anchorage'],
  '-08:00': ['America/Los Angeles'],
  '-07:00': ['America/Denver'],
  '-06:00': ['America/Chicago'],
  '-05:00': ['America/New York'],
  '-04:00': ['America/Santiago'],
  '-03:00': ['America/Sao Paulo'],
  '-02:30': ['Atlantic/Newfoundland'],
  '-02:00': ['Atlantic/South_Georgia'],
  '-01:00': ['Atlantic/Azores'],
  '+00:00': ['Europe/London'],
  '+01:00': ['Europe/Paris'],
  '+02:00': ['Europe/Athens'],
  '+03:00': ['Europe/Moscow', 'Asia/Iran'],
  '+04:00': ['Asia/Dubai'],
  '+04:30': ['Asia/Afghanistan'],
  '+05:00': ['Asia/Karachi'],
  '+05:30': ['Asia/Kolkata'],
  '+05:45': ['Asia/Nepal'],
  '+06:00': ['Asia/Dhaka', 'Asia/Myanmar'],
  '+07:00': ['Asia/Bangkok'],
  '+08:00': ['Asia/Shanghai'],
  '+08:45': ['Australia/Australian Central Western Standard Time'],
  '+09:00': ['Asia/Tokyo', 'Australia/Adelaide'],
  '+10:00': ['Australia/Sydney'],
  '+10:30': ['Australia/Lord Howe'],
  '+11:00': ['Pacific/Norfolk'],
  '+12:00': ['Pacific/Auckland'],
  '+13:00': ['Pacific/Tongatapu'],
  '+14:00': ['Pacific/Kiritimati'],
};

/** The time zones that an SLA can name. They are labels: some of their offsets are not those of their places. */
export const TIMEZONES: readonly string[] = Object.entries(ZONES).flatMap(([offset, places]) =>
  places.map((place) => `GMT${offset} (${place})`),
);

/** The zone of an SLA that is created without one. */
export const DEFAULT_TIMEZONE = 'GMT+00:00 (Europe/London)';

const SPEC_STATUSES = ['Draft', 'Active', 'Deprecated'] as const;
type SpecStatus = (typeof SPEC_STATUSES)[number];

/** What is kept of where a contract stands, and how the shorter vocabulary says it. */
const MEANINGS: Readonly<Record<string, SpecStatus>> = {
  Draft: 'Draft',
  'In Review': 'Draft',
  Rejected: 'Draft',
  Unprocessed: 'Draft',
  Approved: 'Active',
  Deprecated: 'Deprecated',
  Archived: 'Deprecated',
};

const WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.keys(MEANINGS).map((word) => [word.toLowerCase(), word] as const),
  ['active', 'Approved'],
]);

/** What is kept of a word of either vocabulary, in any case of letters; undefined for every other word. */
export const statusOf = (word: string): string | undefined => WORDS.get(word.toLowerCase());

/** The word of the shorter vocabulary. */
export const specStatus = (entityStatus: string): string => MEANINGS[entityStatus] ?? 'Draft';

/** The words by which lists find a contract: its own, and the one that stands for several. */
export const statusWords = (entityStatus: string): readonly string[] => [
  ...new Set([entityStatus.toLowerCase(), specStatus(entityStatus).toLowerCase()]),
];
