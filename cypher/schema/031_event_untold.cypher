// Events that have no number yet, and those of one record among them in their order.
CREATE INDEX Unsequenced_order IF NOT EXISTS FOR (n:Unsequenced) ON (n.entityId, n.revision)
