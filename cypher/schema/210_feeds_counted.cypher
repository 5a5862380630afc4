// Counts the edges of older programs in what they amount to between services, domains and data products.
MATCH (from:Entity)-[edge:FEEDS]->(to:Entity)
USING INDEX edge:FEEDS(awaitsCount)
WHERE edge.awaitsCount = true
WITH edge, from, to
LIMIT 5000
SET edge.id = edge.id
WITH edge, from, to
WHERE edge.awaitsCount
SET edge.awaitsCount = null, edge.isCounted = true
WITH from, to, head(COLLECT { MATCH (found:Entity {id: edge.pipelineId}) RETURN found }) AS carrier
CALL (from, to, carrier) {
  WITH NOT (from.deleted OR to.deleted) AS isLive
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
  WITH part[0] AS view, origin, target, CASE WHEN part[3] THEN 1 ELSE 0 END AS live
  WHERE view = 'domain' OR origin <> target
  MERGE (origin)-[supplies:SUPPLIES {view: view}]->(target)
  ON CREATE SET supplies.edges = 0, supplies.liveEdges = 0
  // The count is locked before it is read.
  SET supplies.view = view
  WITH supplies, live
  SET supplies.edges = supplies.edges + 1, supplies.liveEdges = supplies.liveEdges + live
}
RETURN count(*) AS changed
