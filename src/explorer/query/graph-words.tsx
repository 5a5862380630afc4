import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { Failure, Waiting } from '../parts/states.tsx';

type Schema = Schemas['GraphSchema'];

/** What queries may ask for: labels with their properties, and edges with what they join. */
export const GraphWords = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ['graph-schema'],
    queryFn: ({ signal }) => ask<Schema>('/v1/graph/schema', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the words of the graph" />;
  return (
    <div className="query-words">
      <h2>Edges</h2>
      <dl>
        {data.edges.map(({ name, description, from, to }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd title={`${from.join(', ')} → ${to.join(', ')}`}>{description}</dd>
          </div>
        ))}
      </dl>
      <h2>Labels</h2>
      {data.labels.map(({ name, description, properties }) => (
        <details key={name}>
          <summary>
            <code>{name}</code>
          </summary>
          <p className="quiet">{description}</p>
          <ul>
            {properties.map((one) => (
              <li key={one.name} title={one.description}>
                <code>{one.name}</code> <span className="quiet">{one.type}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
};
