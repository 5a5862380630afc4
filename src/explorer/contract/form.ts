import type { Reference, Schemas } from '../api/types.ts';

/** What the editor holds of a contract: the members that people write, each of which is a clause of the form. */

export type Contract = Schemas['DataContract'];
export type ContractColumn = Schemas['Column'];
export type Rule = Schemas['SemanticsRule'];
export type ServiceLevel = Schemas['ContractSLA'];
export type Security = Schemas['ContractSecurity'];

export type ContractForm = {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly entityStatus: string;
  readonly effectiveFrom: string;
  readonly effectiveUntil: string;
  readonly sourceUrl: string;
  readonly schema: readonly ContractColumn[];
  readonly semantics: readonly Rule[];
  readonly qualityExpectations: readonly Reference[];
  readonly sla: ServiceLevel;
  readonly security: Security;
  readonly termsOfUse: string;
  readonly owners: readonly Reference[];
  readonly reviewers: readonly Reference[];
};

export type Member = keyof ContractForm;

/** The members in the order of the form, and what people call them. */
export const MEMBERS: Readonly<Record<Member, string>> = {
  name: 'Name',
  displayName: 'Display name',
  description: 'Description',
  entityStatus: 'Status',
  effectiveFrom: 'Valid from',
  effectiveUntil: 'Valid until',
  sourceUrl: 'Source address',
  schema: 'Columns',
  semantics: 'Rules',
  qualityExpectations: 'Tests',
  sla: 'Service level',
  security: 'Security',
  termsOfUse: 'Terms of use',
  owners: 'Owners',
  reviewers: 'Reviewers',
};

export const MEMBER_NAMES = Object.keys(MEMBERS) as readonly Member[];

export const STATUSES = [
  'Draft',
  'In Review',
  'Approved',
  'Deprecated',
  'Archived',
  'Rejected',
  'Unprocessed',
] as const;

export const emptyForm = (name: string): ContractForm => ({
  name,
  displayName: '',
  description: '',
  entityStatus: 'Draft',
  effectiveFrom: '',
  effectiveUntil: '',
  sourceUrl: '',
  schema: [],
  semantics: [],
  qualityExpectations: [],
  sla: {},
  security: {},
  termsOfUse: '',
  owners: [],
  reviewers: [],
});

const ownPeople = (people: readonly Reference[] | undefined): readonly Reference[] =>
  (people ?? []).filter(({ inherited }) => !inherited);

const termsOf = ({ termsOfUse }: Pick<Contract, 'termsOfUse'>): string =>
  (typeof termsOfUse === 'string' ? termsOfUse : termsOfUse?.content) ?? '';

export const toForm = (contract: Contract): ContractForm => ({
  name: contract.name,
  displayName: contract.displayName ?? '',
  description: contract.description ?? '',
  entityStatus: contract.entityStatus ?? 'Draft',
  effectiveFrom: contract.effectiveFrom ?? '',
  effectiveUntil: contract.effectiveUntil ?? '',
  sourceUrl: contract.sourceUrl ?? '',
  schema: contract.schema ?? [],
  semantics: contract.semantics ?? [],
  qualityExpectations: contract.qualityExpectations ?? [],
  sla: contract.sla ?? {},
  security: contract.security ?? {},
  termsOfUse: termsOf(contract),
  owners: ownPeople(contract.owners),
  reviewers: ownPeople(contract.reviewers),
});

const reference = ({ id, type }: Reference): Pick<Reference, 'id' | 'type'> => ({
  ...(id === undefined ? {} : { id }),
  ...(type === undefined ? {} : { type }),
});

const isEmpty = (value: unknown): boolean => {
  if (value === '' || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
};

/** A member as the API takes it; undefined when the contract says nothing in it. */
const memberOf = (form: ContractForm, member: Member): unknown => {
  const value = form[member];
  if (isEmpty(value)) return undefined;
  if (member === 'termsOfUse') return { content: value };
  if (member === 'owners' || member === 'reviewers' || member === 'qualityExpectations')
    return form[member].map(reference);
  return value;
};

export const toBody = (
  form: ContractForm,
  { id, type }: { readonly id: string; readonly type: string },
): Schemas['CreateDataContract'] => {
  const members = MEMBER_NAMES.map((member) => [member, memberOf(form, member)] as const);
  return {
    ...Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    name: form.name,
    entity: { id, type },
  };
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The members that are not the same in both. */
export const changedMembers = (before: ContractForm, after: ContractForm): readonly Member[] =>
  MEMBER_NAMES.filter((member) => !isSame(memberOf(before, member), memberOf(after, member)));

export type ContractPatch = { readonly op: 'add' | 'remove'; readonly path: string; readonly value?: unknown };

/** What turns the stored contract into the one of the form. A member is replaced as a whole. */
export const patchOf = (before: ContractForm, after: ContractForm): readonly ContractPatch[] =>
  changedMembers(before, after)
    .filter((member) => member !== 'name')
    .map((member) => {
      const path = `/${member}`;
      const value = memberOf(after, member);
      return value === undefined ? { op: 'remove', path } : { op: 'add', path, value };
    });

export type Merge = {
  readonly form: ContractForm;
  /** What somebody else changed, which the form has taken over. */
  readonly taken: readonly Member[];
  /** What both changed, where the form keeps what was typed. */
  readonly conflicts: readonly Member[];
};

/** Brings what was typed onto what somebody else has stored meanwhile. Nothing that was typed is given up. */
export const mergeForms = (base: ContractForm, mine: ContractForm, theirs: ContractForm): Merge => {
  const byMe = new Set(changedMembers(base, mine));
  const differing = changedMembers(mine, theirs);
  const taken = differing.filter((member) => !byMe.has(member));
  const byThem = new Set(changedMembers(base, theirs));
  return {
    form: { ...mine, ...Object.fromEntries(taken.map((member) => [member, theirs[member]])) },
    taken,
    conflicts: differing.filter((member) => byMe.has(member) && byThem.has(member)),
  };
};
