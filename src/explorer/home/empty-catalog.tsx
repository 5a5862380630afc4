import { useState } from 'react';
import { useMe } from '../api/me.ts';

type Way = { readonly title: string; readonly text: string; readonly commands: string };

/** The ways into the catalog, with the commands as they are given in the folder of the service. */
const listWays = (service: string): readonly Way[] => [
  {
    title: 'Look around first',
    text: 'A small bookseller with 139 tables, their lineage, tests and contracts. With Docker: docker compose exec tributary node dist/cli/tributary.js seed.',
    commands: 'npm run seed',
  },
  {
    title: 'A dbt project',
    text: 'Tables and columns, lineage by column, exposures, metrics and tests, from the folder target.',
    commands: 'dbt build\ndbt docs generate --no-compile\nnpx tributary import dbt target --service warehouse',
  },
  {
    title: 'A warehouse or any other source',
    text: 'The connectors of OpenMetadata work unchanged; their configuration names this service and a token.',
    commands: `pip install 'openmetadata-ingestion[postgres]~=2.0.7'\nnpx tributary token issue --bot --user ingestion-bot\nmetadata ingest -c shop.yaml   # hostPort: ${service}/api`,
  },
  {
    title: 'Airflow, Spark, Flink',
    text: 'Whatever emits OpenLineage sends it here while it runs.',
    commands: `export OPENLINEAGE_URL=${service}\nexport OPENLINEAGE_API_KEY=$(npx tributary token issue --bot --user ingestion-bot)`,
  },
  {
    title: 'A spreadsheet',
    text: 'Descriptions, owners and tags of a service as one file. Without --apply its rows are only judged.',
    commands: 'npx tributary export shop_postgres > shop.csv\nnpx tributary import csv shop_postgres shop.csv --apply',
  },
];

const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [outcome, setOutcome] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('Copied');
    } catch {
      setOutcome('The browser does not copy; select the text');
    }
  };
  return (
    <button type="button" className="button" onClick={copy} aria-label={`Copy: ${what}`}>
      <span role="status">{outcome || 'Copy'}</span>
    </button>
  );
};

/** Nothing is in the catalog yet: how something gets into it. */
export const EmptyCatalog = () => {
  const { data: me } = useMe();
  return (
    <section className="stack" aria-label="First steps">
      <div>
        <h2>Nothing is in the catalog yet</h2>
        <p className="quiet">
          {me?.isAdmin === false
            ? 'Or nothing that you may see: then ask an administrator. This is how data gets in.'
            : 'This is how data gets in. The commands run in the folder of the service.'}
        </p>
      </div>
      <div className="ways">
        {listWays(location.origin).map(({ title, text, commands }) => (
          <section key={title} className="card stack way" aria-label={title}>
            <h3>{title}</h3>
            <p className="quiet">{text}</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
            <pre tabIndex={0}>{commands}</pre>
            <CopyButton text={commands} what={title} />
          </section>
        ))}
        <section className="card stack way" aria-label="Your own program">
          <h3>Your own program</h3>
          <p className="quiet">Two requests make an edge of lineage, or many of them.</p>
          <a className="button" href="/docs">
            Read the API
          </a>
        </section>
      </div>
    </section>
  );
};
