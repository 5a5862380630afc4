// Reads the contracts that hold for some records: their own, and the one in force of their only data product.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WITH id, n, [(n)<-[:HAS_ASSET]-(product:LiveDataProduct) | product] AS products
WITH id,
  head([(n)-[:HAS_CONTRACT]->(c:LiveDataContract) | c{.id, .slaJson}]) AS own,
  CASE WHEN size(products) = 1 THEN head(COLLECT {
    WITH products[0] AS product
    MATCH (product)-[:HAS_CONTRACT]->(c:LiveDataContract {entityStatus: 'Approved'})
    RETURN c{.id, .slaJson}
  }) END AS inherited
WHERE own IS NOT NULL OR inherited IS NOT NULL
RETURN id, own, inherited
