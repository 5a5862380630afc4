import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { labelKind } from '../api/kinds.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
import { HomeSection } from './section.tsx';
import {
  arrangeServices,
  BOX,
  drawFlow,
  flowWidth,
  type PlatformAnswer,
  readServiceMap,
  type ServiceFlow,
  type ServiceMap,
} from './service-map.ts';
import './services.css';

/** The services as a small map: which feed which, and how much flows between them. */

const MOST_SERVICES = 24;
/** A phone lists the largest flows in place of the picture. */
const MOST_LISTED = 8;

const readMap = async (signal: AbortSignal): Promise<ServiceMap> => {
  const query = { view: 'service', size: 1000 };
  return readServiceMap(await ask<PlatformAnswer>('/v1/lineage/getPlatformLineage', { query, signal }), MOST_SERVICES);
};

const countEdges = (edges: number): string => `${edges.toLocaleString()} ${edges === 1 ? 'edge' : 'edges'}`;

const FlowList = ({ map: { services, flows }, most }: { readonly map: ServiceMap; readonly most?: number }) => {
  const names = new Map(services.map((service) => [service.id, service]));
  return (
    <ul className="rows">
      {flows.slice(0, most).map(({ from, to, edges }) => {
        const [one, other] = [names.get(from), names.get(to)];
        return (
          one &&
          other && (
            <li key={`${from} ${to}`}>
              <span>
                <Link href={assetAddress(one.type, one.fqn)}>{one.name}</Link> feeds{' '}
                <Link href={assetAddress(other.type, other.fqn)}>{other.name}</Link>
              </span>
              <span className="quiet flow-count">{countEdges(edges)}</span>
            </li>
          )
        );
      })}
    </ul>
  );
};

/** The room beside the boxes for what shows that one has the focus. */
const EDGE = 4;

/** How wide the page lets the picture be. */
const useRoom = () => {
  const ref = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(1200);
  useLayoutEffect(() => {
    const measure = () => setRoom((ref.current?.clientWidth ?? 1200) - 2 * EDGE);
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  return { ref, room };
};

const touches = ({ from, to }: ServiceFlow, id: string | undefined): boolean =>
  id === undefined || from === id || to === id;

const MapPicture = ({ map }: { readonly map: ServiceMap }) => {
  const { ref, room } = useRoom();
  const [near, setNear] = useState<string>();
  const { width, height, places } = arrangeServices(map, room);
  const at = (id: string) => places.get(id) ?? { x: 0, y: 0 };
  return (
    <div className="service-map" ref={ref}>
      <div className="service-picture" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {map.flows.map((flow) => (
            <path
              key={`${flow.from} ${flow.to}`}
              d={drawFlow(at(flow.from), at(flow.to))}
              strokeWidth={flowWidth(flow.edges)}
              className={touches(flow, near) ? 'flow' : 'flow far'}
            />
          ))}
        </svg>
        {map.services.map(({ id, type, name, fqn }) => (
          <Link
            key={id}
            href={assetAddress(type, fqn)}
            className="service-box"
            style={{ left: at(id).x, top: at(id).y, width: BOX.width, height: BOX.height }}
            title={name}
            onMouseEnter={() => setNear(id)}
            onMouseLeave={() => setNear(undefined)}
            onFocus={() => setNear(id)}
            onBlur={() => setNear(undefined)}
          >
            <span className="service-name">{name}</span>
            <span className="quiet">{labelKind(type).replace(' service', '')}</span>
          </Link>
        ))}
      </div>
      <div className="visually-hidden">
        <FlowList map={map} />
      </div>
    </div>
  );
};

/** The service counts the map from all edges between assets: of more assets than these it is drawn for who asks for it. */
const MOST_ASSETS = 20_000;

const Shown = ({ map }: { readonly map: ServiceMap }) =>
  useNarrow() ? <FlowList map={map} most={MOST_LISTED} /> : <MapPicture map={map} />;

/** Nothing is shown where no data flows between services. */
export const Services = ({ assets }: { readonly assets: number }) => {
  const [isAskedFor, setAskedFor] = useState(assets <= MOST_ASSETS);
  const { data, error, refetch } = useQuery({
    queryKey: ['map of services'],
    queryFn: ({ signal }) => readMap(signal),
    staleTime: 600_000,
    enabled: isAskedFor,
  });
  if (data?.flows.length === 0) return null;
  return (
    <HomeSection title="How data flows">
      {!isAskedFor && (
        <p>
          <button type="button" className="button" onClick={() => setAskedFor(true)}>
            Draw the services
          </button>
        </p>
      )}
      {error && <Failure failure={error} again={refetch} />}
      {isAskedFor && !data && !error && <Waiting what="the services" />}
      {data && <Shown map={data} />}
    </HomeSection>
  );
};
