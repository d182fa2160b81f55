export { FirstAnswerField, firstAnswerIds, firstAnswerOf } from "./first-answer-field.tsx";
