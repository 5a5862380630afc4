import type { OdcsSummary } from '../api/contracts.ts';
import type { Schemas } from '../api/types.ts';

/** What an import of a document would do, and what of it would be lost or is wrong. */

type Issue = {
  readonly severity: 'blocking' | 'warning' | 'info';
  readonly path?: string;
  readonly field?: string;
  readonly occurrences?: number;
  readonly message: string;
};

type RuleOutcome = {
  readonly name?: string;
  readonly column?: string;
  readonly outcome: 'testCase' | 'sla' | 'notExecuted';
  readonly testCaseName?: string;
  readonly reason?: string;
};

type ImportReport = {
  readonly odcsVersion?: string;
  readonly issues?: readonly Issue[];
  readonly qualityRules?: readonly RuleOutcome[];
};

const SEVERITIES: readonly Issue['severity'][] = ['blocking', 'warning', 'info'];
const TONES: Readonly<Record<Issue['severity'], string>> = { blocking: 'bad', warning: 'warn', info: '' };

type OnLine = { readonly lineOf: (path: string) => number | undefined; readonly goTo: (line: number) => void };

const IssueLine = ({ issue, lineOf, goTo }: OnLine & { readonly issue: Issue }) => {
  const place = issue.path || issue.field || '';
  const line = lineOf(place);
  return (
    <li>
      <span className={`chip ${TONES[issue.severity]}`}>{issue.severity}</span> {place !== '' && <code>{place}</code>}{' '}
      {issue.message}
      {(issue.occurrences ?? 1) > 1 && <span className="quiet"> ({issue.occurrences} times)</span>}{' '}
      {line !== undefined && (
        <button type="button" className="link-button" onClick={() => goTo(line)}>
          Line {line}
        </button>
      )}
    </li>
  );
};

const OUTCOMES: Readonly<Record<RuleOutcome['outcome'], string>> = {
  testCase: 'becomes a test',
  sla: 'becomes a service level',
  notExecuted: 'is kept, and not run',
};

const RuleLine = ({ rule }: { readonly rule: RuleOutcome }) => (
  <li>
    <span>
      {rule.name || rule.testCaseName || 'A rule'}
      {rule.column && (
        <>
          {' '}
          of <code>{rule.column}</code>
        </>
      )}{' '}
      {OUTCOMES[rule.outcome]}
      {rule.reason && <span className="quiet">: {rule.reason}</span>}
    </span>
  </li>
);

type ReportProps = OnLine & {
  readonly summary: OdcsSummary | undefined;
  readonly judged: Schemas['ContractValidation'];
};

export const OdcsReport = ({ summary, judged, lineOf, goTo }: ReportProps) => {
  const { issues = [], qualityRules = [], odcsVersion } = (judged.odcsImportReport ?? {}) as ImportReport;
  const columns = judged.schemaValidation;
  const sorted = [...issues].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  // An issue that blocks the import says where it is; the error says the same without a place.
  const errors = issues.some(({ severity }) => severity === 'blocking')
    ? []
    : [...(judged.entityErrors ?? []), ...(judged.constraintErrors ?? [])];
  return (
    <div className="stack">
      <p>
        {summary?.name ? <strong>{summary.name}</strong> : 'A contract without a name'}
        <span className="quiet">
          {' '}
          {odcsVersion && `ODCS ${odcsVersion}`}
          {summary?.version && `, version ${summary.version}`}
          {summary?.status && `, ${summary.status}`}
        </span>
      </p>
      {columns && columns.total > 0 && (
        <p>
          {columns.passed} of {columns.total} of its columns are in the asset.
        </p>
      )}
      {errors.length > 0 && (
        <ul className="problems">
          {errors.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {sorted.length > 0 && (
        <ul className="issues">
          {sorted.map((issue) => (
            <IssueLine key={`${issue.path} ${issue.message}`} issue={issue} lineOf={lineOf} goTo={goTo} />
          ))}
        </ul>
      )}
      {qualityRules.length > 0 && (
        <details>
          <summary>
            {qualityRules.length} quality {qualityRules.length === 1 ? 'rule' : 'rules'}
          </summary>
          <ul className="rows">
            {qualityRules.map((rule, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rules of a document have no other identity.
              <RuleLine key={at} rule={rule} />
            ))}
          </ul>
        </details>
      )}
    </div>
  );
};
