//! The formats of envelopes and transcripts.

/// A format of what agents leave behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Claude Code's `--output-format json`: the result, or all messages in an array.
    ClaudeResult,
    /// Claude Code's `--output-format stream-json`.
    ClaudeStream,
    /// Claude Code's session file.
    ClaudeTranscript,
    /// Codex's `exec --json`: threads, turns and items.
    CodexExec,
    /// Codex's `exec --json` before that: `msg` events.
    CodexExecLegacy,
    /// Codex's session file.
    CodexRollout,
    /// Gemini CLI's `--output-format json`.
    GeminiResult,
    /// Gemini CLI's `--output-format stream-json`.
    GeminiStream,
    /// OpenCode's `run --format json`.
    OpencodeRun,
    /// Copilot CLI's usage file.
    CopilotUsage,
    /// Copilot CLI's `--output-format json`.
    CopilotStream,
    /// Cursor's `--output-format stream-json` or `json`.
    CursorStream,
    /// Amp's `--stream-json`.
    AmpStream,
    /// Goose's `--output-format stream-json`.
    GooseStream,
    /// Aider's analytics log.
    AiderAnalytics,
    /// OpenHands' trajectory: an array of events.
    OpenhandsTrajectory,
    /// OpenHands' conversation state.
    OpenhandsState,
    /// mini-swe-agent's trajectory.
    MiniSweAgentTrajectory,
    /// What SlopCodeBench counted of a session of any agent.
    SlopCodeBenchInference,
    /// SWE-agent's trajectory.
    SweAgentTrajectory,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 20] = [
        Format::ClaudeResult,
        Format::ClaudeStream,
        Format::ClaudeTranscript,
        Format::CodexExec,
        Format::CodexExecLegacy,
        Format::CodexRollout,
        Format::GeminiResult,
        Format::GeminiStream,
        Format::OpencodeRun,
        Format::CopilotUsage,
        Format::CopilotStream,
        Format::CursorStream,
        Format::AmpStream,
        Format::GooseStream,
        Format::AiderAnalytics,
        Format::OpenhandsTrajectory,
        Format::OpenhandsState,
        Format::MiniSweAgentTrajectory,
        Format::SlopCodeBenchInference,
        Format::SweAgentTrajectory,
    ];

    /// The word in records and output.
    pub fn word(self) -> &'static str {
        match self {
            Format::ClaudeResult => "claude-result",
            Format::ClaudeStream => "claude-stream",
            Format::ClaudeTranscript => "claude-transcript",
            Format::CodexExec => "codex-exec",
            Format::CodexExecLegacy => "codex-exec-legacy",
            Format::CodexRollout => "codex-rollout",
            Format::GeminiResult => "gemini-result",
            Format::GeminiStream => "gemini-stream",
            Format::OpencodeRun => "opencode-run",
            Format::CopilotUsage => "copilot-usage",
            Format::CopilotStream => "copilot-stream",
            Format::CursorStream => "cursor-stream",
            Format::AmpStream => "amp-stream",
            Format::GooseStream => "goose-stream",
            Format::AiderAnalytics => "aider-analytics",
            Format::OpenhandsTrajectory => "openhands-trajectory",
            Format::OpenhandsState => "openhands-state",
            Format::MiniSweAgentTrajectory => "mini-swe-agent",
            Format::SlopCodeBenchInference => "slopcodebench-inference",
            Format::SweAgentTrajectory => "swe-agent-trajectory",
        }
    }

    /// The agent that writes it; of a harness the harness.
    pub fn agent(self) -> &'static str {
        match self {
            Format::ClaudeResult | Format::ClaudeStream | Format::ClaudeTranscript => "claude-code",
            Format::CodexExec | Format::CodexExecLegacy | Format::CodexRollout => "codex",
            Format::GeminiResult | Format::GeminiStream => "gemini-cli",
            Format::OpencodeRun => "opencode",
            Format::CopilotUsage | Format::CopilotStream => "copilot-cli",
            Format::CursorStream => "cursor-cli",
            Format::AmpStream => "amp",
            Format::GooseStream => "goose",
            Format::AiderAnalytics => "aider",
            Format::OpenhandsTrajectory | Format::OpenhandsState => "openhands",
            Format::MiniSweAgentTrajectory => "mini-swe-agent",
            Format::SlopCodeBenchInference => "slopcodebench",
            Format::SweAgentTrajectory => "swe-agent",
        }
    }
}
