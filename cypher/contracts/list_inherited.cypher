// Lists the contracts in force that records inherit from their only live data product, each with the record's own
// contract.
UNWIND $ids AS id
MATCH (record:Entity {id: id})<-[:HAS_ASSET]-(product:LiveDataProduct)
WITH id, record, collect(product) AS products
WHERE size(products) = 1
WITH id, record, products[0] AS product
MATCH (product)-[:HAS_CONTRACT]->(contract:LiveDataContract {entityStatus: 'Approved'})
OPTIONAL MATCH (record)-[:HAS_CONTRACT]->(own:LiveDataContract)
RETURN id, own.id AS ownId,
  contract{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS contract
