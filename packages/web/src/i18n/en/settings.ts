import type { SameShape } from "../same-shape.ts";
import type { settings as pt } from "../pt/settings.ts";

export const settings: SameShape<typeof pt> = {
  title: "Settings",
  options: "Options",
  saved: "Setting updated.",
  groups: {
    service: "Service",
    chatbot: "Chatbot and hours",
    incoming: "Groups and calls",
    security: "Security",
  },
  sendGreetingAccepted: {
    label: "Greeting on acceptance",
    help: "When somebody accepts a ticket, the customer gets a greeting with the agent's name.",
  },
  sendMsgTransfTicket: {
    label: "Notice of transfers",
    help: "The customer is told when the ticket goes to another queue or another agent.",
  },
  userRating: {
    label: "Satisfaction survey",
    help: "When a ticket is resolved, the customer is asked for a rating from 1 to 3.",
  },
  scheduleType: {
    label: "Opening hours",
    help: "Outside of the hours the chatbot does not answer: the customer gets the out-of-hours message only.",
    values: {
      disabled: "Do not check",
      company: "One schedule for the company",
      queue: "One schedule per queue",
    },
    toHours: "Set the hours",
    toQueues: "Set the hours in the queues",
  },
  sendGreetingMessageOneQueues: {
    label: "Greeting with a single queue",
    help: "Where the connection has one queue only, the customer gets its greeting before the service.",
  },
  chatBotType: {
    label: "Kind of chatbot menu",
    help: "The menu is a numbered text: the customer answers with the number of the option.",
    values: { text: "Text" },
  },
  CheckMsgIsGroup: {
    label: "Ignore group messages",
    help: "Messages of groups do not become tickets. Switched off, each group is a ticket.",
  },
  call: {
    label: "Accept calls",
    help: "Switched off, voice and video calls are refused and the customer is asked to write.",
  },
  passwordMinLength: {
    label: "Minimum password length",
    help: "Counts for passwords set from now on; those that exist stay valid.",
    value: "{{min}} characters",
  },
  hours: {
    title: "Schedules",
    heading: "Opening hours of the company",
    text: "Outside of these hours the chatbot does not answer and customers wait in the list.",
    openNow: "It is {{time}} now ({{zone}}): open.",
    closedNow: "It is {{time}} now ({{zone}}): closed.",
    saved: "Schedules updated.",
    textsTitle: "What customers get out of hours",
    texts: "Each connection has its own out-of-hours message, sent once in each closed period.",
    toConnections: "Set the message in the connections",
    silent_one: "Without a message nothing is sent: {{names}}.",
    silent_other: "Without a message nothing is sent: {{names}}.",
  },
  outOfHours: {
    title: "Out of hours.",
    company: "The company opens {{when}}.",
    queue: "The queue {{name}} opens {{when}}.",
    companyNever: "No day of the week has hours for the company.",
    queueNever: "No day of the week has hours for the queue {{name}}.",
    today: "today at {{time}}",
    onDay: "{{day}} at {{time}}",
  },
};
