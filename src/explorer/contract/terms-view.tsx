import type { ReactNode } from 'react';
import { RefLinks } from '../parts/refs.tsx';
import { RichText } from '../parts/rich-text.tsx';
import { flattenPromises } from './columns.ts';
import { describeLevel } from './describe-clause.ts';
import { type Contract, type Rule, toForm } from './form.ts';

/** The clauses of a contract for reading, with what comes from a data product marked. */

const Inherited = ({ isShown }: { readonly isShown: boolean | undefined }) =>
  isShown ? <span className="chip">from the data product</span> : null;

type PartProps = { readonly title: string; readonly inherited?: boolean | undefined; readonly children: ReactNode };

const Part = ({ title, inherited, children }: PartProps) => (
  <section className="card stack" aria-label={title}>
    <div className="row">
      <h2>{title}</h2>
      <Inherited isShown={inherited} />
    </div>
    {children}
  </section>
);

const SHOWN_COLUMNS = 100;

const Columns = ({ contract: { schema = [] } }: { readonly contract: Contract }) => {
  const promises = flattenPromises(schema);
  return (
    <Part title={`${promises.length.toLocaleString()} promised ${promises.length === 1 ? 'column' : 'columns'}`}>
      <ul className="rows">
        {promises.slice(0, SHOWN_COLUMNS).map(([path, { dataType, constraint, description }]) => (
          <li key={path}>
            <span>
              <code>{path}</code> <span className="quiet">{dataType}</span> {description && <span>{description}</span>}
            </span>
            {constraint && <span className="chip">{constraint.toLowerCase().replace('_', ' ')}</span>}
          </li>
        ))}
      </ul>
      {promises.length > SHOWN_COLUMNS && (
        <p className="quiet">and {(promises.length - SHOWN_COLUMNS).toLocaleString()} more, which the editor lists</p>
      )}
    </Part>
  );
};

const RuleLine = ({ rule: { name, description, rule, enabled, inherited } }: { readonly rule: Rule }) => (
  <li className="stack rule-line">
    <div className="row">
      <strong>{name}</strong>
      {!enabled && <span className="chip warn">off</span>}
      <Inherited isShown={inherited} />
    </div>
    <p>{description}</p>
    <code>{rule}</code>
  </li>
);

const SecurityPart = ({ security }: { readonly security: NonNullable<Contract['security']> }) => (
  <Part title="Security" inherited={security.inherited}>
    {security.dataClassification && <p>Classified as {security.dataClassification}</p>}
    <ul className="rows">
      {(security.policies ?? []).map(({ accessPolicy = '', identities = [], rowFilters = [] }) => (
        <li key={`${accessPolicy} ${identities.join()}`}>
          <span>
            <strong>{accessPolicy}</strong> for {identities.join(', ') || 'nobody'}
            {rowFilters.map(({ columnName = '', values = [] }) => (
              <span key={columnName} className="quiet">
                {' '}
                where {columnName} is {values.join(' or ')}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  </Part>
);

const time = (moment: string): string => new Date(moment).toLocaleString();

const Facts = ({ contract }: { readonly contract: Contract }) => {
  const { effectiveFrom, effectiveUntil, sourceUrl } = contract;
  return (
    <Part title="People and validity">
      <dl className="facts">
        <dt>Owners</dt>
        <dd>
          <RefLinks refs={contract.owners} none="Nobody" />
        </dd>
        <dt>Reviewers</dt>
        <dd>
          <RefLinks refs={contract.reviewers} none="Nobody" />
        </dd>
        <dt>Valid</dt>
        <dd>
          {effectiveFrom ? `from ${time(effectiveFrom)} ` : ''}
          {effectiveUntil ? `until ${time(effectiveUntil)}` : effectiveFrom ? 'on' : 'without a term'}
        </dd>
        {sourceUrl && (
          <>
            <dt>Source</dt>
            <dd>{sourceUrl}</dd>
          </>
        )}
        <dt>Version</dt>
        <dd>
          {contract.version}{' '}
          <span className="quiet">
            of {new Date(contract.updatedAt).toLocaleString()} by {contract.updatedBy}
          </span>
        </dd>
      </dl>
    </Part>
  );
};

/** What the contract asks of the data itself. */
const DataTerms = ({ contract }: { readonly contract: Contract }) => {
  const { description, termsOfUse } = toForm(contract);
  const { semantics = [], qualityExpectations = [], schema = [] } = contract;
  const inheritsTerms = typeof contract.termsOfUse === 'object' && contract.termsOfUse.inherited;
  return (
    <div className="stack">
      {description && (
        <Part title="About">
          <RichText text={description} />
        </Part>
      )}
      {schema.length > 0 && <Columns contract={contract} />}
      {semantics.length > 0 && (
        <Part title="Rules">
          <ul className="rows">
            {semantics.map((rule) => (
              <RuleLine key={rule.name} rule={rule} />
            ))}
          </ul>
        </Part>
      )}
      {qualityExpectations.length > 0 && (
        <Part title="Tests that have to pass">
          <RefLinks refs={qualityExpectations} none="None" />
        </Part>
      )}
      {termsOfUse && (
        <Part title="Terms of use" inherited={inheritsTerms}>
          <RichText text={termsOfUse} />
        </Part>
      )}
    </div>
  );
};

export const TermsView = ({ contract }: { readonly contract: Contract }) => {
  const { sla, security } = toForm(contract);
  const levels = describeLevel(sla);
  return (
    <div className="asset-body">
      <DataTerms contract={contract} />
      <div className="stack">
        {levels.length > 0 && (
          <Part title="Service level" inherited={sla.inherited}>
            <ul className="plain">
              {levels.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Part>
        )}
        {Object.keys(security).length > 0 && <SecurityPart security={security} />}
        <Facts contract={contract} />
      </div>
    </div>
  );
};
