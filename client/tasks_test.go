package client_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func TestTasks(t *testing.T) {
	ctx := t.Context()
	address, _ := start(t)
	owner, assistant := client.New(address, "owner"), client.New(address, "claude-key")
	must(owner.CreateProject(ctx, client.NewProject{Name: "website"}))(t)
	made := must(assistant.CreateTask(ctx, client.NewTask{Project: "website", Title: "Passkeys", Notes: "soon"}))(t)
	if made.State != loci.TaskTodo || made.Origin != "claude" || made.Version != 1 {
		t.Errorf("CreateTask: got %+v", made)
	}
	must(owner.CreateTask(ctx, client.NewTask{Project: made.ProjectID.String(), Title: "Texts", State: loci.TaskDone}))(t)
	first := must(owner.Tasks(ctx, client.TaskQuery{Project: "website", Limit: 1}))(t)
	if len(first.Tasks) != 1 || first.Tasks[0].Title != "Texts" || !first.HasMore {
		t.Fatalf("Tasks: got %+v", first)
	}
	rest := must(owner.Tasks(ctx, client.TaskQuery{Project: "website", Limit: 1, Cursor: first.NextCursor}))(t)
	if len(rest.Tasks) != 1 || rest.Tasks[0].ID != made.ID || rest.HasMore {
		t.Errorf("the next page of Tasks: got %+v", rest)
	}
	if open := must(owner.Tasks(ctx, client.TaskQuery{State: loci.TaskOpen}))(t); len(open.Tasks) != 1 {
		t.Errorf("open Tasks: got %+v", open)
	}
	doing := must(owner.UpdateTask(ctx, "Passkeys", 1, client.TaskChange{State: new(loci.TaskDoing)}))(t)
	if doing.State != loci.TaskDoing || doing.Version != 2 || doing.Notes != "soon" {
		t.Errorf("UpdateTask: got %+v", doing)
	}
	if _, err := owner.UpdateTask(ctx, "Passkeys", 1, client.TaskChange{Title: new("x")}); client.CodeOf(err) !=
		loci.Precondition {
		t.Errorf("UpdateTask at an old version: got %v", err)
	}
	if got := must(assistant.Task(ctx, made.ID.Short()))(t); got.Version != 2 {
		t.Errorf("Task: got %+v", got)
	}
	if err := assistant.DeleteTask(ctx, "Passkeys", 0); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("DeleteTask by an assistant: got %v", err)
	}
	if err := owner.DeleteTask(ctx, "Passkeys", 2); err != nil {
		t.Errorf("DeleteTask: %v", err)
	}
	if _, err := owner.Task(ctx, made.ID.String()); client.CodeOf(err) != loci.NotFound {
		t.Errorf("the deleted task: got %v", err)
	}
}
