import type { Schemas } from '../api/types.ts';

/** Which edges are listed. All of it stands in the address. */

export type AgreementRow = Schemas['AgreementRow'];
export type AgreementState = AgreementRow['state'];

export type AgreementChoice = {
  readonly scope: string | undefined;
  readonly state: AgreementState | undefined;
};

/** The states of edges, and what they are called. */
export const AGREEMENT_TITLES: Readonly<Record<AgreementState, string>> = {
  agreed: 'Declared and observed',
  declaredOnly: 'Only declared',
  observedOnly: 'Only observed',
};

const isState = (text: string | null): text is AgreementState => text !== null && Object.hasOwn(AGREEMENT_TITLES, text);

export const readAgreementChoice = (params: URLSearchParams): AgreementChoice => {
  const state = params.get('state');
  return { scope: params.get('scope') || undefined, state: isState(state) ? state : undefined };
};

export const writeAgreementChoice = ({ scope, state }: AgreementChoice): URLSearchParams => {
  const params = new URLSearchParams();
  if (scope !== undefined) params.set('scope', scope);
  if (state !== undefined) params.set('state', state);
  return params;
};
