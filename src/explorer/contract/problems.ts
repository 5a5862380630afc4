import type { Schemas } from '../api/types.ts';
import { type ContractForm, MEMBER_NAMES, type Member } from './form.ts';

/** What is wrong with a contract, by the clause that it concerns. */

export type Problem = {
  /** The clause; absent when it concerns the whole. */
  readonly member: Member | undefined;
  readonly text: string;
  /** A note does not keep anybody from saving. */
  readonly isNote: boolean;
};

const FIRST_WORD = /^[A-Za-z]+/;

/** Messages begin with the path of the member that they are about, or name what cannot be found. */
const memberOfMessage = (text: string): Member | undefined => {
  const word = FIRST_WORD.exec(text)?.[0];
  if (word === 'testCase') return 'qualityExpectations';
  if (word === 'user' || word === 'team') return 'owners';
  if (word === 'status') return 'entityStatus';
  return MEMBER_NAMES.find((member) => member === word);
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const problem = (member: Member | undefined, text: string): Problem => ({ member, text, isNote: false });

/** What can be said without the service. */
const findOwnProblems = (form: ContractForm): readonly Problem[] => {
  const names = form.semantics.map(({ name }) => name);
  return [
    ...form.semantics
      .filter(({ rule }) => !isJson(rule))
      .map(({ name }) => ({
        member: 'semantics' as const,
        text: `${name || 'A rule'} is no JSON logic and will fail`,
        isNote: true,
      })),
    ...names
      .filter((name, at) => name !== '' && names.indexOf(name) !== at)
      .map((name) => problem('semantics', `Two rules are called ${name}`)),
  ];
};

export const findProblems = (
  form: ContractForm,
  judged: Schemas['ContractValidation'] | undefined,
): readonly Problem[] => [
  ...[...(judged?.entityErrors ?? []), ...(judged?.constraintErrors ?? [])].map((text) =>
    problem(memberOfMessage(text), text),
  ),
  ...(judged?.schemaValidation?.typeMismatchFields ?? []).map((text) => ({
    member: 'schema' as const,
    text,
    isNote: true,
  })),
  ...findOwnProblems(form),
];
