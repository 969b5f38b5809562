package mcpserver

import (
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
)

// tools is the table of all tools. Every client puts the tools it is offered into its model's context, so a test
// limits what each toolset costs. To keep the memory toolset short, its schemas do not describe the items of a list.
var tools = []tool{
	{
		name: "search_memories", title: "Search memories",
		set: toolsetMemory, action: memory.Read, hints: reads,
		about: `Find memories and events by words, best first. Use it before asking what they may have said. ` +
			`"Quotes" match a phrase, word* a prefix.`,
		returns: has(),
		handler: takes(searchFields, (*Server).searchMemories),
	},
	{
		name: "get_memories_by_tag", title: "Memories by tag",
		set: toolsetMemory, action: memory.Read, hints: reads,
		about:   "List memories with any of the tags, newest first. To find words, use search_memories.",
		returns: has(),
		handler: takes(tagFields, (*Server).getMemoriesByTag),
	},
	{
		name: "read_memories", title: "Newest memories",
		set: toolsetMemory, action: memory.Read, hints: reads,
		about:   "List the newest memories. To find a topic, use search_memories.",
		returns: has(),
		handler: takes(readFields, (*Server).readMemories),
	},
	{
		name: "browse_memories", title: "Browse memories",
		set: toolsetMemory, action: memory.Read, hints: reads,
		about:   "List ids, titles and tags, newest first. To find a topic, use search_memories.",
		returns: has(),
		handler: takes(browseFields, (*Server).browseMemories),
	},
	{
		name: "get_memory_by_id", title: "Get a memory",
		set: toolsetMemory, action: memory.Read, hints: reads,
		about:   "Return a memory, from character offset on, by an id from another tool.",
		returns: has(),
		handler: takes(idFields, (*Server).getMemoryByID),
	},
	{
		name: "get_latest_memory", title: "Latest memory",
		set: toolsetMemory, action: memory.Read, hints: reads,
		about:   "Return the newest memory, or the newest with a tag, to resume work.",
		returns: has(),
		handler: takes(latestFields, (*Server).getLatestMemory),
	},
	{
		name: "write_memory", title: "Write a memory",
		set: toolsetMemory, action: memory.Create, hints: adds,
		about: "Save a memory for all the person's assistants: decisions, preferences, corrections, lasting " +
			"facts; not secrets or chatter. The same key updates it. Returns id, version, result.",
		returns: has("id"),
		handler: takes(writeFields, (*Server).writeMemory),
	},
	{
		name: "update_memory", title: "Update a memory",
		set: toolsetMemory, action: memory.Change, hints: sets,
		about: "Change a memory you wrote: only the fields you send; fewer allowed_vendors, never more. " +
			"For those of others, use write_memory with supersedes.",
		returns: has("id"),
		handler: takes(updateFields, (*Server).updateMemory),
	},
	{
		name: "trash_memory", title: "Trash a memory",
		set: toolsetMemory, action: memory.Trash, hints: removes,
		about: "Trash a memory you wrote, when asked. If only the person may, tell is what to tell them. For " +
			"outdated facts, use update_memory.",
		returns: has("id"),
		handler: takes(trashMemoryFields, (*Server).trashMemory),
	},
	{
		name: "read_team_memories", title: "Team memories",
		set: toolsetMemory, action: memory.PoolRead, hints: reads,
		about:   "List the team's memories, newest first. If there is no team, do not retry.",
		returns: has(),
		handler: takes(teamFields, (*Server).readTeamMemories),
	},
	{
		name: "share_memory", title: "Share with the team",
		set: toolsetMemory, action: memory.Share, hints: sets,
		about:   "Share a memory you wrote with the team, only when asked.",
		returns: has(),
		handler: takes(shareFields, (*Server).shareMemory),
	},

	{
		name: "recall_memories", title: "Recall memories",
		set: toolsetMemoryExtra, action: memory.Read, hints: reads,
		about: "Search memories and events with every filter. Use it to ask about the past or within a scope; otherwise " +
			"use search_memories. as_of: what was true then. known_at: what was stored then. detail: full adds scores " +
			"and sources.",
		returns: listOf("memories", "id", "title"),
		handler: takes(recallFields, (*Server).searchMemories),
	},
	{
		name: "list_suggestions", title: "List suggestions",
		set: toolsetMemoryExtra, action: memory.SuggestionRead, hints: reads,
		about: "List suggestions, newest first: that one memory supersedes or corrects another one's, or that rows " +
			"leave a graph. The owner decides. Use it to see the outcome. To make a suggestion, use write_memory " +
			"with supersedes.",
		returns: listOf("suggestions", "id", "kind", "state"),
		handler: takes(suggestionFields, (*Server).listSuggestions),
	},
	{
		name: "add_sources", title: "Add sources",
		set: toolsetMemoryExtra, action: memory.SourceAdd, hints: sets,
		about: "Link a memory that you wrote to where it comes from, and return its sources. ref is an id or an " +
			"address; quote is the words that support the memory. Not for memories of other assistants.",
		returns: listOf("sources", "id", "kind"),
		handler: takes(newSourcesFields, (*Server).addSources),
	},
	{
		name: "get_sources", title: "Get sources",
		set: toolsetMemoryExtra, action: memory.SourceRead, hints: reads,
		about:   "List the sources of a memory with their texts, oldest first. Use it to verify a memory.",
		returns: listOf("sources", "id", "kind"),
		handler: takes(sourcesFields, (*Server).getSources),
	},
	{
		name: "list_memory_nodes", title: "List memory nodes",
		set: toolsetMemoryExtra, action: node.Read, hints: reads,
		about: "List memory nodes, last changed first. A node is an outline of memories, entities and texts. Use " +
			"it to find one that fits the task, then read_memory_node. For single facts, use search_memories.",
		returns: listOf("memory_nodes", "id", "name"),
		handler: takes(nodesFields, (*Server).listMemoryNodes),
	},
	{
		name: "read_memory_node", title: "Read a memory node",
		set: toolsetMemoryExtra, action: node.Read, hints: reads,
		about: "Return a memory node as one text, in outline order. Use it at the start of a task that the node " +
			"covers. left counts the items that did not fit into budget characters.",
		returns: has("id", "name", "text", "left"),
		handler: takes(nodeFields, (*Server).readMemoryNode),
	},
	{
		name: "remember", title: "Remember one thing",
		set: toolsetReflect, action: memory.Create, hints: adds,
		about: "Save one durable memory: a decision, a fact, a plan. For raw notes, use reflect. Returns its id and " +
			"result.",
		returns: has("id", "result"),
		handler: takes(rememberFields, (*Server).rememberOne),
	},
	{
		name: "reflect", title: "Reflect notes",
		set: toolsetReflect, action: review.Reflect, hints: sets,
		about: "Find memory candidates in raw notes: decisions, plans, ideas, claims, artifacts, procedures. Use it " +
			"after work; for one known fact, use remember. Without persist it only reads. Returns candidates; those with " +
			"exceptions wait for the person. detail: full adds evidence.",
		returns: leanSchema(),
		handler: takes(reflectFields, (*Server).reflect),
	},

	{
		name: "context", title: "Context for a goal",
		set: toolsetReflect, action: pack.Read, hints: sets,
		about: "Get what memory has for a goal, within max_tokens: pinned, decisions, facts, procedures, events, entities, " +
			"each cited by id. Use it before you begin a task. To ask one question, use search_memories. With session_id, " +
			"only what is new. Returns context and how many lines were left out.",
		returns: has("context", "left"),
		handler: takes(packFields, (*Server).contextPack),
	},

	{
		name: "list_candidates", title: "List candidates",
		set: toolsetReview, action: review.Read, hints: reads,
		about: "List proposed memories, newest first, with how many each state has. Use it when the person wants to " +
			"review what reflect found. For memories, use search_memories.",
		returns: listOf("candidates", "id", "kind", "title", "review_state"),
		handler: takes(candidatesFields, (*Server).listCandidates),
	},
	{
		name: "show_candidate", title: "Show a candidate",
		set: toolsetReview, action: review.Read, hints: reads,
		about: "Return a candidate with its evidence, the memories that it may replace, and past decisions. " +
			"Use it before you decide. To see many, use list_candidates.",
		returns: has("id", "kind", "title", "review_state"),
		handler: takes(candidateFields, (*Server).showCandidate),
	},
	{
		name: "decide_candidate", title: "Decide about a candidate",
		set: toolsetReview, action: review.Decide, hints: removes,
		about: "Accept a candidate (it becomes a memory; one with exceptions only the person accepts), reject, archive or " +
			"defer it, or undo your last decision (its memory goes to the trash). Use it only as the person decided, for " +
			"what you proposed. " +
			"To change its words, use edit_candidate. Returns the candidate.",
		returns: has("id", "review_state"),
		handler: takes(verdictFields, (*Server).decideCandidate),
	},
	{
		name: "edit_candidate", title: "Edit a candidate",
		set: toolsetReview, action: review.Decide, hints: sets,
		about: "Change the fields you send of a candidate that waits, and return it. Use it to correct a candidate " +
			"before it is accepted. For a memory, use update_memory.",
		returns: has("id", "review_state"),
		handler: takes(revisionFields, (*Server).editCandidate),
	},
	{
		name: "merge_candidates", title: "Merge candidates",
		set: toolsetReview, action: review.Decide, hints: adds,
		about: "Add the texts of others to a candidate, archive them, and return it. Use it if they say parts of one " +
			"thing. To drop one that says the same, use decide_candidate.",
		returns: has("id", "review_state"),
		handler: takes(mergerFields, (*Server).mergeCandidates),
	},

	{
		name: "create_session", title: "Create a session",
		set: toolsetSession, action: agent.SessionCreate, hints: adds,
		about: "Create a session and return it. Pass its id as session_id to other tools: what they write then " +
			"belongs to the session, and they reach the memories that only its agent reads. Loci registers an " +
			"unknown agent. Not needed for other memories.",
		returns: has("id", "state"),
		handler: takes(newSessionFields, (*Server).createSession),
	},
	{
		name: "close_session", title: "Close a session",
		set: toolsetSession, action: agent.SessionClose, hints: sets,
		about:   "Close a session when its work is done, and return it. Later calls can read in it, but not write.",
		returns: has("id", "state"),
		handler: takes(closeSessionFields, (*Server).closeSession),
	},
	{
		name: "log_event", title: "Log an event",
		set: toolsetSession, action: event.Log, hints: sets,
		about: "Log what just happened: an action, a result, an error, an open question, the state of the work. " +
			"Others who see the session read it. For choices, use log_decision; for what stays true, save a memory. " +
			"Returns id and result: logged or duplicate.",
		returns: has("id", "result"),
		handler: takes(eventFields, (*Server).logEvent),
	},
	{
		name: "log_decision", title: "Log a decision",
		set: toolsetSession, action: event.Log, hints: sets,
		about: "Log a decision with its reason, when you make one or the person does. Not for plans or results: use " +
			"log_event. Returns id and result: logged or duplicate.",
		returns: has("id", "result"),
		handler: takes(decisionFields, (*Server).logDecision),
	},
	{
		name: "get_session_context", title: "What happened",
		set: toolsetSession, action: event.Read, hints: reads,
		about: "Return one text about a session, an agent or, with neither, the org: decisions with reasons, errors, " +
			"open questions, who did what. Use it to continue work or to catch up. To find single events, use " +
			"search_events. left counts the events that did not fit.",
		returns: has("context", "events", "left"),
		handler: takes(contextFields, (*Server).getSessionContext),
	},
	{
		name: "search_events", title: "Search events",
		set: toolsetSession, action: event.Read, hints: reads,
		about: "List events that match all filters, newest first, with their full texts. Use it for details. For an " +
			"overview, use get_session_context; for lasting facts, search_memories.",
		returns: listOf("events", "id", "time", "event_type", "content"),
		handler: takes(searchEventFields, (*Server).searchEvents),
	},

	{
		name: "create_task", title: "Create a task",
		set: toolsetTasks, action: task.Create, hints: adds,
		about: "Add a task to a project and return it. Use it for work that remains to be done, or when asked. Its " +
			"members see it. Call list_tasks first. For facts and decisions, save a memory.",
		returns: has("id", "state"),
		handler: takes(newTaskFields, (*Server).createTask),
	},
	{
		name: "list_tasks", title: "List tasks",
		set: toolsetTasks, action: task.Read, hints: reads,
		about: "List the tasks of a project, or of all projects, newest first. Use it to find what to work on. For " +
			"what happened, use get_session_context.",
		returns: listOf("tasks", "id", "title", "state"),
		handler: takes(tasksFields, (*Server).listTasks),
	},
	{
		name: "update_task", title: "Update a task",
		set: toolsetTasks, action: task.Change, hints: sets,
		about: "Change the fields you send and return the task. Set state to doing when you begin a task, to done when " +
			"it is finished. You can change title and notes only of tasks you created.",
		returns: has("id", "state"),
		handler: takes(taskEditFields, (*Server).updateTask),
	},

	{
		name: "list_projects", title: "List projects",
		set: toolsetGraph, action: project.Read, hints: reads,
		about: "List projects by name. Use it to find the one to work on. For the active one, use " +
			"get_current_project.",
		returns: listOf("projects", "id", "name", "status"),
		handler: takes(projectsFields, (*Server).listProjects),
	},
	{
		name: "create_project", title: "Create a project",
		set: toolsetGraph, action: project.Create, hints: adds,
		about: "Create a project with an empty graph, make it the active one, and return it. Use it for a new " +
			"body of work, after list_projects shows none that fits.",
		returns: has("id", "name"),
		handler: takes(newProjectFields, (*Server).createProject),
	},
	{
		name: "switch_project", title: "Switch project",
		set: toolsetGraph, action: project.Read, hints: sets,
		about: "Make a project the active one and return it. Use it before graph tools. If your client cannot " +
			"keep it active, pass project to each tool instead.",
		returns: has("id", "name"),
		handler: takes(projectFields, (*Server).switchProject),
	},
	{
		name: "get_current_project", title: "Get the current project",
		set: toolsetGraph, action: project.Read, hints: reads,
		about: "Return the active project, or a message if there is none. Use it when unsure where graph tools " +
			"will write. For all projects, use list_projects.",
		returns: has(),
		handler: takes(nothing, (*Server).getCurrentProject),
	},
	{
		name: "archive_project", title: "Archive a project",
		set: toolsetGraph, action: project.Archive, hints: sets,
		about: "Close a project, keep its data, and return it. Use it only when asked. restore_project reopens " +
			"it.",
		returns: has("id", "name"),
		handler: takes(projectFields, (*Server).archiveProject),
	},
	{
		name: "delete_project", title: "Delete a project",
		set: toolsetGraph, action: project.Delete, hints: removes,
		about: "Delete a project and all its data permanently. Returns its id and name. Use it only if the " +
			"person asked for it and confirmed it; otherwise use archive_project.",
		returns: has("id", "name"),
		handler: takes(projectFields, (*Server).deleteProject),
	},
	{
		name: "restore_project", title: "Restore a project",
		set: toolsetGraph, action: project.Restore, hints: sets,
		about: "Reopen an archived project and return it. Use it to continue that work. It does not become the " +
			"active project: use switch_project.",
		returns: has("id", "name"),
		handler: takes(projectFields, (*Server).restoreProject),
	},
	{
		name: "create_entities", title: "Create entities",
		set: toolsetGraph, action: graph.Write, hints: sets,
		about: "Add things of the project (people, systems, decisions) with facts about them, all or none. " +
			"If the name and type exist, only new facts are added. Call search_nodes first. For facts about an " +
			"existing entity, use add_observations.",
		returns: listOf("entities", "name", "created", "added"),
		handler: takes(newEntitiesFields, (*Server).createEntities),
	},
	{
		name: "add_observations", title: "Add observations",
		set: toolsetGraph, action: graph.Write, hints: sets,
		about: "Add facts to existing entities, all or none. Returns what was added and what was there. For a new " +
			"entity, use create_entities. Send entity_type if several entities share the name.",
		returns: listOf("results", "entity_name", "added"),
		handler: takes(observationsFields, (*Server).addObservations),
	},
	{
		name: "create_relations", title: "Create relations",
		set: toolsetGraph, action: graph.Write, hints: sets,
		about: "Connect existing entities, all or none, and return the relations. For facts about one entity, " +
			"use add_observations.",
		returns: listOf("relations", "from", "to", "relation_type", "created"),
		handler: takes(relationsFields, (*Server).createRelations),
	},
	{
		name: "search_nodes", title: "Search the graph",
		set: toolsetGraph, action: graph.Read, hints: reads,
		about: `Find entities by name, type or observation, best match first. Returns their observations and ` +
			`relations. Accepts words, or AND, OR, NOT, prefix*, "phrases" within one name or observation. ` +
			`Use it before creating anything. For exact names, use open_nodes.`,
		returns: listOf("entities", entityMembers...),
		handler: takes(graphSearchFields, (*Server).searchEntities),
	},
	{
		name: "open_nodes", title: "Open entities",
		set: toolsetGraph, action: graph.Read, hints: reads,
		about: "Return the entities with exactly these names or ids, with their observations and relations. offset skips " +
			"the newest observations. For a missing name, it returns the nearest ones. To search, use search_nodes.",
		returns: listOf("entities", entityMembers...),
		handler: takes(namesFields, (*Server).openEntities),
	},
	{
		name: "read_graph", title: "Read the graph",
		set: toolsetGraph, action: graph.Read, hints: reads,
		about: "Return the whole graph in pages, oldest first. left counts the entities on later pages. Use " +
			"search_nodes unless you need everything.",
		returns: has("entities", "relations", "left"),
		handler: takes(graphFields, (*Server).readGraph),
	},
	{
		name: "delete_entities", title: "Delete entities",
		set: toolsetGraph, action: graph.Delete, hints: removes,
		about: "Delete entities by name, with their observations and relations, and return how many. It ignores " +
			"names that do not exist. What others wrote is only suggested. For one wrong fact, use " +
			"delete_observations.",
		returns: has("deleted"),
		handler: takes(deletedNamesFields, (*Server).deleteEntities),
	},
	{
		name: "delete_observations", title: "Delete observations",
		set: toolsetGraph, action: graph.Delete, hints: removes,
		about: "Delete facts with exactly this text and return how many. Use it for what is wrong or outdated, " +
			"then add the current fact. For the whole entity, use delete_entities.",
		returns: has("deleted"),
		handler: takes(deletionsFields, (*Server).deleteObservations),
	},
	{
		name: "delete_relations", title: "Delete relations",
		set: toolsetGraph, action: graph.Delete, hints: removes,
		about: "Delete exactly these relations and return how many. The entities stay; to delete them, use " +
			"delete_entities.",
		returns: has("deleted"),
		handler: takes(deletedRelationsFields, (*Server).deleteRelations),
	},

	{
		name: "search", title: "Search memories",
		set: toolsetSearch, action: memory.Read, hints: reads,
		about: "Find the person's memories by the words of a question, best first, up to 10. Use it before you ask them " +
			"what they may have said before. For the text of one, use fetch.",
		returns: listOf("results", "id", "title", "url"),
		handler: takes(plainSearchFields, (*Server).plainSearch),
	},
	{
		name: "fetch", title: "Fetch a memory",
		set: toolsetSearch, action: memory.Read, hints: reads,
		about: "Return the text of a memory by an id from search. If the text goes on, metadata.more has the id of the " +
			"next part. To find memories, use search.",
		returns: has("id", "title", "text", "url"),
		handler: takes(fetchFields, (*Server).fetch),
	},

	{
		name: "restore_nodes", title: "Restore deleted entities",
		set: toolsetGraphExtra, action: graph.Restore, hints: sets,
		about: "Restore deleted entities, observations or relations, all or none, and return how many. Use it to " +
			"undo a mistake, with ids from list_deleted_nodes. An entity returns with what was deleted along " +
			"with it.",
		returns: has("restored"),
		handler: takes(restoreFields, (*Server).restoreEntities),
	},
	{
		name: "list_deleted_nodes", title: "List deleted entities",
		set: toolsetGraphExtra, action: graph.ReadTrash, hints: reads,
		about: "List what restore_nodes can restore, newest deletion first, up to limit of each kind. For what " +
			"is in the graph, use read_graph.",
		returns: has("entities", "observations", "relations"),
		handler: takes(trashFields, (*Server).listDeletedEntities),
	},
	{
		name: "get_entity_history", title: "Get entity history",
		set: toolsetGraphExtra, action: graph.History, hints: reads,
		about: "List the changes to an entity, its observations and relations, and who made them, oldest first. " +
			"Use it to explain how something came about. For a deleted entity, send its id.",
		returns: listOf("changes", "at", "change", "kind"),
		handler: takes(historyFields, (*Server).getEntityHistory),
	},
	{
		name: "get_neighbors", title: "Get neighbors",
		set: toolsetGraphExtra, action: graph.Read, hints: reads,
		about: "Return an entity and those that up to hops relations connect it with, nearest first. Use it to " +
			"see what something affects. To find words, use search_nodes.",
		returns: listOf("entities", entityMembers...),
		handler: takes(neighborsFields, (*Server).getNeighbors),
	},
	{
		name: "merge_entities", title: "Merge two entities",
		set: toolsetGraphExtra, action: graph.Merge, hints: removes,
		about: "Move the observations and relations of one entity to another that means the same, delete the " +
			"first and return the second. Use it only if you are sure.",
		returns: has("name"),
		handler: takes(mergeFields, (*Server).mergeEntities),
	},
}
