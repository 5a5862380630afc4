import { contractOutcome, type Outcome, testOutcome } from './outcome.ts';

export const OutcomeChip = ({ of: { words, tone } }: { readonly of: Outcome }) => (
  <span className={tone === 'plain' ? 'chip' : `chip ${tone}`}>{words}</span>
);

type StatusProps = { readonly status: string | undefined };

export const ContractOutcome = ({ status }: StatusProps) => <OutcomeChip of={contractOutcome(status)} />;

export const TestOutcome = ({ status }: StatusProps) => <OutcomeChip of={testOutcome(status)} />;
