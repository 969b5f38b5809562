package mcpserver

import "github.com/loci-memory/loci/internal/app"

// tools is the table of all tools. Every client puts all that it is offered
// into its model's context, so a test limits what each toolset costs.
var tools = []tool{
	{
		name: "search_memories", title: "Search memories", set: toolsetMemory, action: app.MemoryRead, hints: reads,
		about: `Memories that fit some words, best first, in full. Use it before asking the person what they may have said. ` +
			`"Quotes" keep words together, word* completes. as_of: what was true then. Not for listing.`,
		returns: listOf("memories", "id", "content"), handler: takes(searchFields, (*Server).searchMemories),
	},
	{
		name: "get_memories_by_tag", title: "Memories by tag", set: toolsetMemory, action: app.MemoryRead, hints: reads,
		about:   `Memories with any of the tags, newest first, in full. For words, use search_memories.`,
		returns: listOf("memories", "id", "content"), handler: takes(tagFields, (*Server).getMemoriesByTag),
	},
	{
		name: "read_memories", title: "Newest memories", set: toolsetMemory, action: app.MemoryRead, hints: reads,
		about:   `The newest memories in full. Use it for what was saved lately; to find a subject, use search_memories.`,
		returns: listOf("memories", "id", "content"), handler: takes(readFields, (*Server).readMemories),
	},
	{
		name: "browse_memories", title: "Browse memories", set: toolsetMemory, action: app.MemoryRead, hints: reads,
		about: `Ids, titles and tags without contents, newest first. Use it to survey what exists, then get_memory_by_id; ` +
			`not to find a subject.`,
		returns: listOf("memories", "id", "title"), handler: takes(browseFields, (*Server).browseMemories),
	},
	{
		name: "get_memory_by_id", title: "Get a memory", set: toolsetMemory, action: app.MemoryRead, hints: reads,
		about:   `One memory in full. Use it with an id that another tool gave.`,
		returns: has("id", "title", "content"), handler: takes(idFields, (*Server).getMemoryByID),
	},
	{
		name: "get_latest_memory", title: "Latest memory", set: toolsetMemory, action: app.MemoryRead, hints: reads,
		about:   `The newest memory in full, or the newest with a tag. Use it to pick up where work stopped.`,
		returns: has("id", "title", "content"), handler: takes(latestFields, (*Server).getLatestMemory),
	},
	{
		name: "write_memory", title: "Write a memory", set: toolsetMemory, action: app.MemoryCreate, hints: adds,
		about: `Saves a memory for all the person's assistants. Use it for decisions, preferences, corrections and durable facts; ` +
			`not for secrets or chatter. The same key updates its memory.`,
		returns: has("id", "title", "content"), handler: takes(writeFields, (*Server).writeMemory),
	},
	{
		name: "read_team_memories", title: "Read team memories", set: toolsetMemory, action: app.PoolRead, hints: reads,
		about:   `Memories of the person's team, newest first. Do not try again if they have no team.`,
		returns: listOf("memories", "id", "content"), handler: takes(teamFields, (*Server).readTeamMemories),
	},
	{
		name: "share_memory", title: "Share with the team", set: toolsetMemory, action: app.MemoryShare, hints: sets,
		about:   `Puts a memory that you wrote into the pool of the person's team. Use it only when asked.`,
		returns: has("id", "title", "content"), handler: takes(shareFields, (*Server).shareMemory),
	},

	{
		name: "recall_memories", title: "Recall memories", set: toolsetMemoryExtra, action: app.MemoryRead, hints: reads,
		about: `search_memories with every filter, at any time, and with all of why each memory was found and where it comes from. ` +
			`as_of: what was true then; known_at: what was stored then. ` +
			`Use it to ask about the past or within a scope; otherwise search_memories is shorter.`,
		returns: listOf("memories", "id", "content"), handler: takes(recallFields, (*Server).recallMemories),
	},
	{
		name: "list_suggestions", title: "List suggestions", set: toolsetMemoryExtra, action: app.SuggestionRead, hints: reads,
		about: `What was suggested about memories of others, newest first: that one supersedes or corrects another. ` +
			`Their owner decides; use it to see what became of it.`,
		returns: listOf("suggestions", "id", "kind", "memory_id", "by_id", "state"),
		handler: takes(suggestionFields, (*Server).listSuggestions),
	},
	{
		name: "add_sources", title: "Say where a memory comes from", set: toolsetMemoryExtra, action: app.SourceAdd, hints: sets,
		about: `Links a memory that you wrote to the message, session, event, address or text that it comes from. ` +
			`ref is an id or address, quote the words that say it. Returns the sources.`,
		returns: listOf("sources", "id", "kind"), handler: takes(newSourcesFields, (*Server).addSources),
	},
	{
		name: "get_sources", title: "Where a memory comes from", set: toolsetMemoryExtra, action: app.SourceRead, hints: reads,
		about:   `The sources of a memory, oldest first, with their texts. Use it to check what a memory says.`,
		returns: listOf("sources", "id", "kind"), handler: takes(sourcesFields, (*Server).getSources),
	},
	{
		name: "list_memory_nodes", title: "List memory nodes", set: toolsetMemoryExtra, action: app.NodeRead, hints: reads,
		about: `Memory nodes that there are, last changed first: outlines that people and assistants made of memories, entities and texts. ` +
			`Use it to find one that fits the task.`,
		returns: listOf("memory_nodes", "id", "name"), handler: takes(nodesFields, (*Server).listMemoryNodes),
	},
	{
		name: "read_memory_node", title: "Read a memory node", set: toolsetMemoryExtra, action: app.NodeRead, hints: reads,
		about:   `All of a memory node as one text, in its order. Use it at the start of a task that the node is about.`,
		returns: has("id", "name", "text", "left"), handler: takes(nodeFields, (*Server).readMemoryNode),
	},
	{
		name: "list_agents", title: "List agents", set: toolsetMemoryExtra, action: app.AgentRead, hints: reads,
		about:   `Your vendor's agents that are registered for the person, by name. Use it to find the agent_id for open_agent_session.`,
		returns: listOf("agents", "id", "name"), handler: takes(agentsFields, (*Server).listAgents),
	},
	{
		name: "register_agent", title: "Register an agent", set: toolsetMemoryExtra, action: app.AgentCreate, hints: adds,
		about:   `Registers an agent of your vendor, so that it can have memories of its own (scope agent). Not before list_agents.`,
		returns: has("id", "name"), handler: takes(agentFields, (*Server).registerAgent),
	},
	{
		name: "open_agent_session", title: "Open a session", set: toolsetMemoryExtra, action: app.WorkOpen, hints: adds,
		about: `Opens a session and returns it. Pass its id as session_id to other tools: ` +
			`they reach the memories of its agent then, and what they write is of the session.`,
		returns: has("id", "state"), handler: takes(openSessionFields, (*Server).openAgentSession),
	},
	{
		name: "close_agent_session", title: "Close a session", set: toolsetMemoryExtra, action: app.WorkClose, hints: sets,
		about:   `Closes a session when its work is done; no call can name it from then on. What was written in it stays.`,
		returns: has("id", "state"), handler: takes(closeSessionFields, (*Server).closeAgentSession),
	},

	{
		name: "list_projects", title: "List projects", set: toolsetGraph, action: app.ProjectRead, hints: reads,
		about:   `The projects there are, by name. Use it to find the one to work on; get_current_project says which is active.`,
		returns: listOf("projects", "id", "name", "status"), handler: takes(projectsFields, (*Server).listProjects),
	},
	{
		name: "create_project", title: "Create a project", set: toolsetGraph, action: app.ProjectCreate, hints: adds, inOrder: true,
		about: `Makes a project with an empty graph, makes it the active one, and returns it. ` +
			`Use it for a new body of work; not before list_projects.`,
		returns: has("id", "name"), handler: takes(newProjectFields, (*Server).createProject),
	},
	{
		name: "switch_project", title: "Switch project", set: toolsetGraph, action: app.ProjectRead, hints: sets, inOrder: true,
		about: `Makes a project the active one of this session, and returns it. ` +
			`Use it before graph tools; where it says that there is no session, pass project to each of them instead.`,
		returns: has("id", "name"), handler: takes(projectFields, (*Server).switchProject),
	},
	{
		name: "get_current_project", title: "Current project", set: toolsetGraph, action: app.ProjectRead, hints: reads,
		about:   `The active project, or a message that there is none. Use it when unsure where graph tools will write.`,
		returns: has(), handler: takes(nothing, (*Server).getCurrentProject),
	},
	{
		name: "archive_project", title: "Archive a project", set: toolsetGraph, action: app.ProjectArchive, hints: sets, inOrder: true,
		about:   `Closes a project, keeps its data, and returns it. Use it only when asked; restore_project opens it again.`,
		returns: has("id", "name"), handler: takes(projectFields, (*Server).archiveProject),
	},
	{
		name: "delete_project", title: "Delete a project", set: toolsetGraph, action: app.ProjectDelete, hints: removes, inOrder: true,
		about: `Deletes a project and all its data for good. ` +
			`Use it only when the person asked for that and confirmed it; otherwise archive_project.`,
		returns: has("id", "name"), handler: takes(projectFields, (*Server).deleteProject),
	},
	{
		name: "restore_project", title: "Restore a project", set: toolsetGraph, action: app.ProjectRestore, hints: sets, inOrder: true,
		about:   `Opens an archived project again and returns it. Use it to go on with one; it does not switch to it.`,
		returns: has("id", "name"), handler: takes(projectFields, (*Server).restoreProject),
	},
	{
		name: "create_entities", title: "Create entities", set: toolsetGraph, action: app.GraphWrite, hints: sets, inOrder: true,
		about: `Stores things of the project (people, systems, decisions) with facts about them, all or none; returns them with their ids. ` +
			`One of the same name and type is not stored twice: it gets the facts that are new. Use search_nodes first.`,
		returns: listOf("entities", "id", "name", "created", "added"), handler: takes(newEntitiesFields, (*Server).createEntities),
	},
	{
		name: "add_observations", title: "Add observations", set: toolsetGraph, action: app.GraphWrite, hints: sets, inOrder: true,
		about: `Adds facts to entities that exist, all or none; returns the new ones, and which were there already. ` +
			`For a new entity use create_entities. entity_type is for a name that several have.`,
		returns: listOf("observations", "id", "entity_name", "content"), handler: takes(observationsFields, (*Server).addObservations),
	},
	{
		name: "create_relations", title: "Create relations", set: toolsetGraph, action: app.GraphWrite, hints: sets, inOrder: true,
		about: `Connects entities that exist, all or none; returns the relations. ` +
			`Not for facts about one entity: use add_observations.`,
		returns: listOf("relations", "id", "from", "to", "relation_type", "created"), handler: takes(relationsFields, (*Server).createRelations),
	},
	{
		name: "search_nodes", title: "Search the graph", set: toolsetGraph, action: app.GraphRead, hints: reads,
		about: `Entities that match in name, type or observations, best first, with their observations and relations. ` +
			`Words, AND, OR, NOT, prefix*, "phrases". Use it before creating anything; for known names use open_nodes.`,
		returns: listOf("entities", entityMembers...), handler: takes(graphSearchFields, (*Server).searchEntities),
	},
	{
		name: "open_nodes", title: "Open entities", set: toolsetGraph, action: app.GraphRead, hints: reads,
		about: `Entities of exactly these names, with their observations and relations; for a name that is not there, the nearest. ` +
			`To look for something use search_nodes.`,
		returns: listOf("entities", entityMembers...), handler: takes(namesFields, (*Server).openEntities),
	},
	{
		name: "read_graph", title: "Read the graph", set: toolsetGraph, action: app.GraphRead, hints: reads,
		about: `The whole graph in pages, oldest first; left says how many entities are to come. ` +
			`It can be large: prefer search_nodes unless all is needed.`,
		returns: has("entities", "relations", "left"), handler: takes(graphFields, (*Server).readGraph),
	},
	{
		name: "delete_entities", title: "Delete entities", set: toolsetGraph, action: app.GraphDelete, hints: removes, inOrder: true,
		about: `Deletes entities by name, with their observations and relations; returns how many. ` +
			`Names that are not there are passed over. Not for one wrong fact: use delete_observations.`,
		returns: has("deleted"), handler: takes(deletedNamesFields, (*Server).deleteEntities),
	},
	{
		name: "delete_observations", title: "Delete observations", set: toolsetGraph, action: app.GraphDelete, hints: removes, inOrder: true,
		about:   `Deletes facts that say exactly this; returns how many. Use it for what is wrong or over, then add what holds now.`,
		returns: has("deleted"), handler: takes(deletionsFields, (*Server).deleteObservations),
	},
	{
		name: "delete_relations", title: "Delete relations", set: toolsetGraph, action: app.GraphDelete, hints: removes, inOrder: true,
		about:   `Deletes exactly these relations; returns how many. The entities stay.`,
		returns: has("deleted"), handler: takes(relationsFields, (*Server).deleteRelations),
	},

	{
		name: "restore_nodes", title: "Restore what was deleted", set: toolsetGraphExtra, action: app.GraphRestore, hints: sets, inOrder: true,
		about: `Brings back what was deleted by mistake, all or none, by the ids that list_deleted_nodes gives; ` +
			`an entity comes with what was deleted along with it. Returns how many.`,
		returns: has("restored"), handler: takes(restoreFields, (*Server).restoreEntities),
	},
	{
		name: "list_deleted_nodes", title: "List what was deleted", set: toolsetGraphExtra, action: app.GraphTrashed, hints: reads,
		about: `What restore_nodes can bring back, newest deletion first, limit of each kind. ` +
			`Not for what is in the graph: use read_graph.`,
		returns: has("entities", "observations", "relations"), handler: takes(trashFields, (*Server).listDeletedEntities),
	},
	{
		name: "get_entity_history", title: "History of an entity", set: toolsetGraphExtra, action: app.GraphHistory, hints: reads,
		about: `What happened to an entity, its observations and relations, and who did it, oldest first. ` +
			`Use it when asked how something came about; a deleted entity is found by id only.`,
		returns: listOf("changes", "at", "change", "kind"), handler: takes(historyFields, (*Server).getEntityHistory),
	},
	{
		name: "get_neighbors", title: "Neighbours of an entity", set: toolsetGraphExtra, action: app.GraphRead, hints: reads,
		about: `An entity and those that relations connect it with in so many hops, nearest first. ` +
			`Use it to see what something touches; for words use search_nodes.`,
		returns: listOf("entities", entityMembers...), handler: takes(neighborsFields, (*Server).getNeighbors),
	},
	{
		name: "merge_entities", title: "Merge two entities", set: toolsetGraphExtra, action: app.GraphMerge, hints: removes, inOrder: true,
		about: `Moves the observations and relations of one entity to another that means the same, ` +
			`deletes the first and returns the second. Only when sure.`,
		returns: has("id", "name"), handler: takes(mergeFields, (*Server).mergeEntities),
	},
}
