{{- define "confab.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of all objects; takes a dict of root and component. */}}
{{- define "confab.labels" -}}
{{ include "confab.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "confab.selector" -}}
app.kubernetes.io/name: confab
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Address and credentials of the log. */}}
{{- define "confab.log" -}}
- name: CHAT_RABBITMQ_URI
  valueFrom:
    secretKeyRef:
      {{- if .Values.rabbitmq.enabled }}
      name: {{ include "confab.name" . }}-rabbitmq-default-user
      key: connection_string
      {{- else }}
      name: {{ required "rabbitmq.uriSecret.name is needed where rabbitmq.enabled is false" .Values.rabbitmq.uriSecret.name }}
      key: {{ .Values.rabbitmq.uriSecret.key }}
      {{- end }}
- name: CHAT_RABBITMQ_PARTITIONS
  value: {{ .Values.partitions | quote }}
{{- end -}}

{{/* Authentication of clients. */}}
{{- define "confab.identity" -}}
{{- $identity := .Values.identity -}}
- name: CHAT_IDENTITY
  value: {{ $identity.mode | quote }}
{{- if ne $identity.mode "open" }}
- name: CHAT_IDENTITY_JWKS_URI
  value: {{ required "identity.jwksUri is needed unless identity.mode is open" $identity.jwksUri | quote }}
- name: CHAT_IDENTITY_ISSUER
  value: {{ required "identity.issuer is needed unless identity.mode is open" $identity.issuer | quote }}
- name: CHAT_IDENTITY_AUDIENCE
  value: {{ $identity.audience | quote }}
- name: CHAT_IDENTITY_ALGORITHM
  value: {{ $identity.algorithm | quote }}
{{- else }}
- name: CHAT_ALLOWED_HOSTS
  value: {{ printf "%s-consumer,%s" (include "confab.name" .) .Values.ingress.host | quote }}
{{- end }}
{{- end -}}

{{- define "confab.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Security context of the programs' pods: least privilege. */}}
{{- define "confab.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "confab.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* Spreads the pods of a component over machines. */}}
{{- define "confab.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "confab.selector" . | nindent 6 }}
{{- end -}}
