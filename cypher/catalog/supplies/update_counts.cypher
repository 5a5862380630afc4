// Counts claimed edges in what they amount to between services, between records that determine domains, and between data
// products, or takes them out of it. An edge through a pipeline also counts from and to the service of the pipeline. The
// counts are locked last and in one order, so writers wait for each other only while they commit.
MATCH (from:Entity)-[edge:FEEDS]->(to:Entity)
USING INDEX edge:FEEDS(awaitsCount)
WHERE edge.awaitsCount = true
SET edge.id = edge.id
WITH edge, from, to
WHERE edge.awaitsCount AND ${WHICH}
OPTIONAL MATCH (carrier:Entity {id: edge.pipelineId})
SET carrier.entityType = carrier.entityType
SET ${MARK}
WITH from, to, carrier, NOT (from.deleted OR to.deleted) AS isLive
WITH
  isLive,
  isLive AND NOT carrier.deleted AS isCarried,
  [(from)<-[:CONTAINS*1..50]-(top:Entity WHERE NOT EXISTS { (top)<-[:CONTAINS]-() }) | top] AS fromTops,
  [(to)<-[:CONTAINS*1..50]-(top:Entity WHERE NOT EXISTS { (top)<-[:CONTAINS]-() }) | top] AS toTops,
  [(carrier)<-[:CONTAINS*1..50]-(top:Entity WHERE NOT EXISTS { (top)<-[:CONTAINS]-() }) | top] AS carrierTops,
  CASE WHEN from.determinesDomains THEN [from] ELSE [(from)<-[:CONTAINS]-(above:Entity) | above] END AS fromHolders,
  CASE WHEN to.determinesDomains THEN [to] ELSE [(to)<-[:CONTAINS]-(above:Entity) | above] END AS toHolders,
  [(product:Entity)-[:HAS_ASSET]->(from) | product] AS fromProducts,
  [(product:Entity)-[:HAS_ASSET]->(to) | product] AS toProducts
UNWIND [
  ['service', fromTops, toTops, isLive],
  ['service', fromTops, carrierTops, isCarried],
  ['service', carrierTops, toTops, isCarried],
  ['domain', fromHolders, toHolders, isLive],
  ['dataProduct', fromProducts, toProducts, isLive]
] AS part
UNWIND part[1] AS origin
UNWIND part[2] AS target
WITH part[0] AS view, origin, target, part[3] AS isLive
WHERE view = 'domain' OR origin <> target
WITH view, origin, target, count(*) AS edges, sum(CASE WHEN isLive THEN 1 ELSE 0 END) AS liveEdges
ORDER BY view, origin.id, target.id
MERGE (origin)-[supplies:SUPPLIES {view: view}]->(target)
ON CREATE SET supplies.edges = 0, supplies.liveEdges = 0
// The count is locked before it is read.
SET supplies.view = view
WITH supplies, edges, liveEdges
SET supplies.edges = supplies.edges + edges * ${SIGN}, supplies.liveEdges = supplies.liveEdges + liveEdges * ${SIGN}
WITH count(*) AS counted
UNWIND $rows AS row
RETURN row.at AS at
