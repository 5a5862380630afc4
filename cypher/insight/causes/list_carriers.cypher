// Lists the pipelines through which data comes into some assets, each with the assets at both ends.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[edge:FEEDS]-(from:Entity)
WHERE edge.pipelineId IS NOT NULL
WITH edge.pipelineId AS pipelineId, from.id AS fromId, id AS toId
LIMIT toInteger($limit)
RETURN pipelineId, fromId, toId
