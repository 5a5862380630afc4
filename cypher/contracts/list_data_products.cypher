// Lists the live data products of a record, each with its contract if that is in force.
MATCH (:Entity {id: $id})<-[:HAS_ASSET]-(product:LiveDataProduct)
OPTIONAL MATCH (product)-[:HAS_CONTRACT]->(contract:LiveDataContract {entityStatus: 'Approved'})
RETURN product.id AS productId, contract.id AS contractId
LIMIT 1000
