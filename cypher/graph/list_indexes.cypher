// Lists every index with its definition. An index that belongs to a constraint names it.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, owningConstraint, state, populationPercent
RETURN name, type, entityType, labelsOrTypes, properties, options, owningConstraint, state, populationPercent
