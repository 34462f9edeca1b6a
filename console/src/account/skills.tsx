// The skills of the person, and the editor of a new one.
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { refreshSkills, skillsQuery } from "./queries.ts";
import { SkillEditor } from "./skill-editor.tsx";
import { newSkill, type SkillFile } from "./skill-files.ts";
import { SkillRow } from "./skill-row.tsx";

export function Skills() {
  useTitle("Skills");
  const { data: skills, error, refetch } = useQuery(skillsQuery);
  const [isNew, setIsNew] = useState(false);

  async function create(files: SkillFile[]): Promise<void> {
    await service.request("POST /api/user/skills", { body: { files } });
    await refreshSkills();
    setIsNew(false);
  }

  return (
    <Section
      title="Skills"
      text="Instructions that an agent follows when a message begins with the skill's name, such as /my-skill. Yours work in all sessions that are assigned to you, from the next turn on."
    >
      {error !== null && (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      )}
      {skills?.length === 0 && !isNew && (
        <p className="mb-4">You have no skills. Write one for what you explain to the agent again and again.</p>
      )}
      {skills && skills.length > 0 && (
        <ul className="mb-4 divide-y divide-line border-line border-y">
          {skills.map((skill) => (
            <SkillRow key={skill.id} skill={skill} />
          ))}
        </ul>
      )}
      {isNew ? (
        <SkillEditor
          keptAs="skill new"
          files={newSkill}
          word="Save the skill"
          onSave={create}
          onClose={() => setIsNew(false)}
        />
      ) : (
        skills && (
          <Button onClick={() => setIsNew(true)}>
            <Plus className="size-4" aria-hidden="true" /> Write a skill
          </Button>
        )
      )}
    </Section>
  );
}
